#!/usr/bin/env node
// Is the engine right? The hand-made cases, in ours, Ghostty and xterm.js. Where both others agree we must agree with
// them; where they do not, with the one that docs/vt.md names as right: that table is data, allow.mjs.
//   cases_check.mjs [NAME...]      HOLD=path of hold
import { HAND } from './cases.mjs';
import { CASES } from './allow.mjs';
import { colour, ghostty, hold, rowsDiff, xterm } from './run.mjs';

const MODES = ['4', '?1', '?6', '?7', '?45', '?66', '?1004', '?2004', '?2026', '?9', '?1000', '?1002', '?1003', '?1006', '?1016'];

// The facts that all three show, as name -> comparable value. Hidden ones only where both sides could probe them.
function facts(o) {
  if (o.error) return null;
  const f = { cursor: `${o.cursor.x},${o.cursor.y}`, visible: o.cursor.visible, alt: o.alt, responses: o.responses };
  for (const m of MODES) f['mode ' + m] = o.modes[m];
  const h = o.hidden;
  if (h.pendingWrap !== null) f.pendingWrap = h.pendingWrap;
  f.margins = JSON.stringify(['top', 'left', 'bottom', 'right'].map((k) => h.margins[k]));
  f.tabs = JSON.stringify(h.tabs.filter((x) => x < o.cols - 1));
  f.charsets = JSON.stringify(['gl', 'g0', 'g1', 'g2', 'g3'].map((k) => h.charsets[k]));
  f.pen = JSON.stringify([colour(h.pen[0]), colour(h.pen[1]), (h.pen[2] ?? '').replace('O', '')]);
  f.saved = `${h.saved.x},${h.saved.y}`;
  return f;
}
// Names of facts in which two engines differ.
function differences(a, b) {
  const fa = facts(a), fb = facts(b);
  if (!fa || !fb) return ['error'];
  const names = Object.keys(fa).filter((k) => k in fb && fa[k] !== fb[k]);
  for (const part of ['screen', 'scrollback']) { const d = []; rowsDiff(a[part], b[part], part, d); if (d.length) names.push(part); }
  const d = []; rowsDiff(a.hidden.otherScreen.rows, b.hidden.otherScreen.rows, 'other', d); if (d.length) names.push('other');
  return names;
}

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
