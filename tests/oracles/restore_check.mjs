#!/usr/bin/env node
// Are restores right for terminals that are not ours? Every recording is cut at seeded offsets; what `hold debug vt
// --restore` writes there is fed to a fresh Ghostty and a fresh xterm.js, which must then show what the original bytes
// made them show: grid, cursor, modes. Known faults of these engines are in allow.mjs, each with its reason; anything
// else fails.
//   restore_check.mjs [NAME...]      HOLD=path of hold   HOLDFAST_SEED=n   HOLDFAST_CUTS=n
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { RESTORE } from './allow.mjs';
import { fullCellKey, ghostty, hold, random, rowsDiff, xterm } from './run.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const agents = path.join(here, '../fixtures/agents');
const DEFAULT_SEED = 20260822, DEFAULT_CUTS = 10;
const SEED = +(process.env.HOLDFAST_SEED ?? DEFAULT_SEED), CUTS = +(process.env.HOLDFAST_CUTS ?? DEFAULT_CUTS);
const SCROLLBACK = 1000;

function readRecording(file) {
  const [head, ...events] = fs.readFileSync(file, 'utf8').trim().split('\n').map((l) => JSON.parse(l));
  const steps = [];
  for (const [, kind, value] of events) {
    if (kind === 'o') steps.push({ bytes: Buffer.from(value, 'base64') });
    if (kind === 'r') steps.push({ resize: value.split('x').map(Number) });
  }
  return { name: path.relative(agents, file).replace(/\.jsonl$/, ''), cols: head.width, rows: head.height, steps };
}

// The recording up to `cut` bytes.
function prefix(recording, cut) {
  const steps = [];
  for (const s of recording.steps) {
    if (!s.bytes) { steps.push(s); continue; }
    if (s.bytes.length >= cut) { steps.push({ bytes: s.bytes.subarray(0, cut) }); break; }
    steps.push(s); cut -= s.bytes.length;
  }
  return { cols: recording.cols, rows: recording.rows, scrollback: SCROLLBACK, steps };
}

const DIFFERENT_BY_DESIGN = ['?2026']; // a restore never leaves a synchronised update open, decision 33
function differences(engine, original, restored) {
  const out = [];
  if (original.error || restored.error) return [`error ${original.error ?? '-'} / ${restored.error ?? '-'}`];
  const a = original.cursor, b = restored.cursor;
  if (a.x !== b.x || a.y !== b.y) out.push(`cursor ${a.x},${a.y}/${b.x},${b.y}`);
  if (a.pendingWrap !== b.pendingWrap) out.push(`cursor.pendingWrap ${a.pendingWrap}/${b.pendingWrap}`);
  if (a.visible !== b.visible) out.push(`cursor.visible ${a.visible}/${b.visible}`);
  if (original.alt !== restored.alt) out.push(`alt ${original.alt}/${restored.alt}`);
  for (const m of Object.keys(original.modes)) if (original.modes[m] !== restored.modes[m] && !DIFFERENT_BY_DESIGN.includes(m)) out.push(`mode ${m} ${original.modes[m]}/${restored.modes[m]}`);
  const key = engine === 'xterm' ? fullCellKey : undefined;
  rowsDiff(original.screen, restored.screen, 'screen', out, key);
  rowsDiff(original.scrollback, restored.scrollback, 'scrollback', out, key);
  return out;
}

const names = process.argv.slice(2);
const files = fs.readdirSync(agents, { recursive: true }).filter((f) => f.endsWith('.jsonl') && (!names.length || names.some((n) => f.includes(n)))).sort();
console.log(`HOLDFAST_SEED=${SEED}: ${files.length} recordings, ${CUTS} cuts each`);
const next = random(SEED), allowed = new Map(RESTORE.map((entry) => [entry, { differences: 0, cuts: new Set() }]));
let cases = 0, equal = 0, failures = 0;
for (const file of files) {
  const recording = readRecording(path.join(agents, file));
  const bytes = recording.steps.reduce((n, s) => n + (s.bytes?.length ?? 0), 0);
  const cuts = Array.from({ length: CUTS }, () => Math.floor(next() * (bytes + 1))).sort((a, b) => a - b);
  const originals = cuts.map((cut) => prefix(recording, cut));
  const ours = await hold(originals, '--scrollback', String(SCROLLBACK), '--restore');
  const replays = ours.map((o) => ({ cols: o.cols, rows: o.rows, scrollback: SCROLLBACK, steps: [{ bytes: Buffer.from(o.restore, 'base64') }] }));
  for (const [engine, run] of [['ghostty', ghostty], ['xterm', xterm]]) {
    const [before, after] = [await run(originals), await run(replays)];
    cuts.forEach((cut, i) => {
      cases++;
      const found = differences(engine, before[i], after[i]).filter((d) => {
        const seen = { ours: ours[i], original: before[i], restored: after[i], recording, steps: originals[i].steps };
        const entry = RESTORE.find((e) => e.engine === engine && e.difference.test(d) &&
          (!e.recordings || e.recordings.includes(recording.name)) && (!e.when || e.when(seen)));
        if (!entry) return true;
        allowed.get(entry).differences++;
        allowed.get(entry).cuts.add(`${recording.name} ${cut}`);
        return false;
      });
      if (!found.length) { equal++; return; }
      failures++;
      console.log(`${recording.name} cut at ${cut} in ${engine}:\n    ${found.slice(0, 4).join('\n    ')}`);
    });
  }
}
console.log(`${equal} of ${cases} restores are right in the other engines`);
const isCounted = SEED === DEFAULT_SEED && CUTS === DEFAULT_CUTS;
for (const [entry, { differences: n, cuts }] of allowed) {
  if (!n && isCounted && !names.length) { console.log(`  never needed: ${entry.engine}: ${entry.reason}`); failures++; continue; }
  console.log(`  ${n}x in ${cuts.size} cuts allowed in ${entry.engine}: ${entry.reason}`);
  if (!isCounted || cuts.size <= (entry.cuts ?? Infinity)) continue;
  failures++;
  console.log(`    known are ${entry.cuts} cuts: look at the others`);
}
process.exit(failures ? 1 : 0);
