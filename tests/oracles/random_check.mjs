#!/usr/bin/env node
// Random sequences in our engine, in Ghostty and in xterm.js, compared after every token. Where one of the others is known
// to differ, allow_sequences.mjs says in what, after which token and why; from there on that engine is not looked at in this
// sequence, as what it shows then follows from it. Any other difference fails, cut down to the tokens that make it.
//   random_check.mjs [NUMBER...]      HOLD=path of hold   HOLDFAST_SEED=n   HOLDFAST_SEQUENCES=n   SHOWN=kinds of differences to show
import { DIFFERENCES, LACKS, SAYS } from './allow_sequences.mjs';
import { differences, facts } from './facts.mjs';
import { ghostty, hold, xterm } from './run.mjs';
import { sequence, shown } from './sequences.mjs';

const DEFAULT_SEED = 20260822, DEFAULT_COUNT = 20_000;
const SEED = +(process.env.HOLDFAST_SEED ?? DEFAULT_SEED), COUNT = +(process.env.HOLDFAST_SEQUENCES ?? DEFAULT_COUNT);
const SCROLLBACK = 200;
const AT_ONCE = 1024;  // sequences whose states are in memory
const KINDS_SHOWN = +(process.env.SHOWN ?? 10);  // of differences: one of each is cut down and printed
const ENGINES = { ghostty: (cases) => ghostty(cases), xterm: (cases) => xterm(cases, '--probe') };

// Facts that no program can see, and that later tokens may bring to light: a difference in one of them ends nothing.
const HIDDEN = ['saved', 'tabs', 'other', 'screen joins', 'scrollback joins', 'responses'];

const lacks = (engine, token) => LACKS.find((e) => e.engine === engine && token.bytes && e.token.test(token.bytes.toString('latin1')));
const says = (engine, token) => SAYS.find((e) => e.engine === engine && token.bytes && e.token.test(token.bytes.toString('latin1')));

const isAllowedBy = (entry, name, seen) => entry.facts.test(name) && (!entry.kinds || entry.kinds.includes(seen.token.kind)) &&
  (!entry.token || entry.token.test(seen.text)) && (name === 'error' || !entry.when || entry.when(seen));

// The tokens as the engine is told them, with a snapshot after each, up to the first that it knows nothing of.
function caseFor(engine, { cols, rows, tokens }) {
  const known = engine ? tokens.findIndex((t) => lacks(engine, t)) : -1;
  const steps = (known < 0 ? tokens : tokens.slice(0, known)).flatMap((t) => {
    const other = engine && says(engine, t);
    const bytes = other ? Buffer.from(t.bytes.toString('latin1').replace(other.token, other.instead), 'latin1') : t.bytes;
    return [t.size ? { resize: t.size } : { bytes }, { snap: true }];
  });
  return { cols, rows, scrollback: SCROLLBACK, steps };
}

// What is said of an engine in one sequence: {steps: compared, uses: entries that were needed, wrong: null or where and what}.
function judge(engine, { tokens }, ours, theirs) {
  const uses = new Set(), standing = new Set();
  for (let k = 0; k < tokens.length; k++) {
    const token = tokens[k], lack = lacks(engine, token);
    if (lack) { uses.add(lack); return { steps: k, uses, wrong: null }; }
    const other = says(engine, token);
    if (other) uses.add(other);
    const names = differences(ours[k], theirs[k] ?? { error: 'no answer' }, 'apart');
    const stood = new Set(standing);
    for (const name of standing) if (!names.includes(name)) standing.delete(name);
    const fresh = names.filter((n) => !standing.has(n));
    if (!fresh.length) continue;
    const seen = { token, text: token.bytes?.toString('latin1') ?? '', k, tokens, stood, names, before: ours[k - 1], ours: ours[k], theirs: theirs[k] };
    for (const name of fresh) {
      const entry = DIFFERENCES.find((e) => e.engine === engine && isAllowedBy(e, name, seen));
      if (!entry) return { steps: k, uses, wrong: { k, name, names, ours: ours[k], theirs: theirs[k] } };
      uses.add(entry);
      standing.add(name);
    }
    if (fresh.some((n) => !HIDDEN.includes(n))) return { steps: k, uses, wrong: null };
  }
  return { steps: tokens.length, uses, wrong: null };
}

async function run(engine, sequences) {
  const cases = sequences.map((s) => caseFor(engine, s));
  const results = await (engine ? ENGINES[engine](cases) : hold(cases));
  return results.map((r) => [].concat(r));
}

// Without the tokens that the difference does not need.
async function cutDown(engine, s, wrong) {
  let least = { ...s, tokens: s.tokens.slice(0, wrong.k + 1) };
  for (;;) {
    const fewer = least.tokens.slice(0, -1).map((_, i) => ({ ...least, tokens: least.tokens.toSpliced(i, 1) }));
    if (!fewer.length) return { least, wrong };
    const [ours, theirs] = [await run(null, fewer), await run(engine, fewer)];
    const verdicts = fewer.map((f, i) => judge(engine, f, ours[i], theirs[i]).wrong);
    const at = verdicts.findIndex((w, i) => w?.name === wrong.name && w.k === fewer[i].tokens.length - 1);
    if (at < 0) return { least, wrong };
    [least, wrong] = [fewer[at], verdicts[at]];
  }
}

function valueOf(o, name) {
  if (!o || o.error) return o?.error ?? 'no answer';
  const part = name.split(' ')[0], rows = part === 'other' ? o.hidden.otherScreen.rows : { screen: o.screen, scrollback: o.scrollback }[part];
  return rows ? rows.map((r) => (r.w ? '~' : '') + r.c.map((c) => c.slice(0, 9).join(',').replace(/,+$/, '')).join(' ')).join(' | ') : String(facts(o)[name]);
}

const numbers = process.argv.slice(2).map(Number);
const wanted = numbers.length ? numbers : Array.from({ length: COUNT }, (_, i) => i);
const used = new Map(), compared = { ghostty: 0, xterm: 0 }, whole = { ghostty: 0, xterm: 0 }, failures = [];
let tokens = 0;
console.log(`HOLDFAST_SEED=${SEED}: ${wanted.length} sequences`);
for (let from = 0; from < wanted.length; from += AT_ONCE) {
  const sequences = wanted.slice(from, from + AT_ONCE).map((n) => sequence(SEED, n));
  const engines = Object.keys(ENGINES), [ours, ...others] = await Promise.all([null, ...engines].map((e) => run(e, sequences)));
  for (const [at, engine] of engines.entries()) {
    const theirs = others[at];
    sequences.forEach((s, i) => {
      const { steps, uses, wrong } = judge(engine, s, ours[i], theirs[i]);
      compared[engine] += steps;
      if (steps === s.tokens.length) whole[engine]++;
      for (const entry of uses) used.set(entry, (used.get(entry) ?? 0) + 1);
      if (wrong) failures.push({ engine, s, wrong });
    });
  }
  tokens += sequences.reduce((n, s) => n + s.tokens.length, 0);
}
// One of each kind, the earliest in its sequence.
const kinds = new Map();
for (const f of failures) {
  const kind = `${f.engine}: ${f.wrong.names.join(', ')} after ${f.s.tokens[f.wrong.k].kind}`;
  kinds.set(kind, [...(kinds.get(kind) ?? []), f]);
}
for (const [kind, all] of [...kinds].sort((a, b) => b[1].length - a[1].length).slice(0, KINDS_SHOWN)) {
  const { engine, s, wrong: found } = all.sort((a, b) => a.wrong.k - b.wrong.k)[0];
  const { least, wrong } = await cutDown(engine, s, found);
  console.log(`${all.length}x ${kind}; HOLDFAST_SEED=${SEED} random_check.mjs ${s.number}\n  ${shown(least)}`);
  for (const name of wrong.names) console.log(`    ${name}\n      ours   ${valueOf(wrong.ours, name)}\n      theirs ${valueOf(wrong.theirs, name)}`);
}
console.log(`${wanted.length} sequences of ${tokens} tokens: ` + Object.keys(ENGINES).map((e) => `${whole[e]} are equal to their end in ${e}, ${compared[e]} tokens compared`).join('; ') + `; ${failures.length} wrong`);
let unused = 0;
for (const entry of [...SAYS, ...LACKS, ...DIFFERENCES]) {
  if (used.has(entry)) console.log(`  in ${used.get(entry)} sequences, ${entry.engine}: ${entry.reason}`);
  else if (!numbers.length && SEED === DEFAULT_SEED && COUNT === DEFAULT_COUNT) { console.log(`  never needed: ${entry.engine}: ${entry.reason}`); unused++; }
}
process.exit(failures.length || unused ? 1 : 0);
