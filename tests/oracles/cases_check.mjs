#!/usr/bin/env node
// Is the engine right? The hand-made cases, in ours, Ghostty and xterm.js. Where both others agree we must agree with
// them; where they do not, with the one that docs/vt.md names as right: that table is data, allow.mjs.
//   cases_check.mjs [NAME...]      HOLD=path of hold
import { HAND } from './cases.mjs';
import { CASES } from './allow.mjs';
import { differences, facts } from './facts.mjs';
import { ghostty, hold, xterm } from './run.mjs';

const only = process.argv.slice(2);
const hand = HAND.filter((h) => !only.length || only.some((n) => h.name.includes(n)));
const cases = hand.map((h) => ({ cols: h.cols ?? 10, rows: h.rows ?? 4, scrollback: 200, steps: (Array.isArray(h.in) ? h.in : [h.in]).map((s) => (typeof s === 'string' ? { bytes: Buffer.from(s, 'utf8') } : Buffer.isBuffer(s) ? { bytes: s } : { resize: s })) }));
const [ours, gs, xs] = [await hold(cases), await ghostty(cases, '--probe'), await xterm(cases, '--probe')];
let agree = 0, settled = 0, failures = 0;
const used = new Map();
hand.forEach((h, i) => {
  const toG = differences(ours[i], gs[i]), toX = differences(ours[i], xs[i]);
  const names = [...new Set([...toG, ...toX])].filter((n) => n !== 'error');
  // Whom we follow in each fact that is not the same in all three.
  const follows = (n) => (!gs[i].error && !toG.includes(n) ? 'ghostty' : !xs[i].error && !toX.includes(n) ? 'xterm' : 'neither');
  const wrong = names.filter((n) => {
    const entry = CASES.find((e) => e.match.test(h.name) && (!e.facts || e.facts.includes(n)) && e.right === follows(n));
    if (entry) used.set(entry, (used.get(entry) ?? 0) + 1);
    return !entry;
  });
  if (!names.length) agree++;
  else if (!wrong.length) settled++;
  else {
    failures++;
    console.log(`${h.name}: ${wrong.map((n) => `${n} as ${follows(n)}`).join(', ')}`);
    if (process.env.VERBOSE) for (const n of wrong) for (const [e, o] of [['holdfast', ours[i]], ['ghostty', gs[i]], ['xterm', xs[i]]]) console.log(`    ${n} ${e}: ${o.error ?? JSON.stringify(facts(o)[n] ?? (n === 'other' ? o.hidden.otherScreen.rows : o[n])).slice(0, 400)}`);
  }
});
console.log(`${hand.length} cases: ${agree} equal to both engines, ${settled} where the engines differ are settled as the table has it, ${failures} wrong`);
for (const entry of CASES) {
  if (used.has(entry)) console.log(`  ${used.get(entry)}x ${entry.right}: ${entry.reason}`);
  else if (!only.length) { console.log(`  never needed: ${entry.right}: ${entry.reason}`); failures++; }
}
process.exit(failures ? 1 : 0);
