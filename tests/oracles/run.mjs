// Running engines over case frames in bounded batches, and comparing what they say.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { frame } from './canon.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
// What one process gets: as many cases as are worth its start, and no more input than takes it seconds.
const BATCH_CASES = 1024, BATCH_BYTES = 1 << 20;
// A batch takes a second; a process that needs this long hangs.
const BATCH_TIMEOUT_MS = 120_000;

export const HOLD = process.env.HOLD ?? path.join(here, '../../build/hold');

function processOutput(command, args, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const out = [];
    const timer = setTimeout(() => { child.kill('SIGKILL'); reject(new Error(`${command} ${args.join(' ')}: no answer within ${BATCH_TIMEOUT_MS} ms`)); }, BATCH_TIMEOUT_MS);
    child.stdout.on('data', (d) => out.push(d));
    child.on('error', reject);
    child.stdin.on('error', () => {}); // the exit code says more
    child.on('close', (code) => { clearTimeout(timer); code === 0 ? resolve(Buffer.concat(out).toString()) : reject(new Error(`${command} ${args.join(' ')}: exit ${code}`)); });
    child.stdin.end(input);
  });
}

// One JSON object a case: {cols, rows, scrollback?, steps}; an array of them where steps ask for snapshots.
async function run(command, args, cases) {
  const results = [], frames = cases.map((c) => frame(c.cols, c.rows, c.scrollback ?? 1000, c.steps));
  for (let from = 0, to = 0; from < frames.length; from = to) {
    for (let bytes = 0; to < frames.length && to - from < BATCH_CASES && (to === from || bytes + frames[to].length <= BATCH_BYTES); to++) bytes += frames[to].length;
    const text = await processOutput(command, args, Buffer.concat(frames.slice(from, to)));
    const objects = text.trim().split('\n').map((l) => JSON.parse(l));
    if (objects.length !== to - from) throw new Error(`${command}: ${objects.length} answers to ${to - from} cases`);
    results.push(...objects);
  }
  return results;
}

// Without mode 2027 at the start, as the other two have none or are driven without.
export const hold = (cases, ...extra) => run(HOLD, ['debug', 'vt', '--stream', '--graphemes', 'off', ...extra], cases);
export const xterm = (cases, ...extra) => run(process.execPath, [path.join(here, 'xterm-oracle.mjs'), '--stream', '--unicode', '11', ...extra], cases);
export const ghostty = (cases, ...extra) => run(process.execPath, [path.join(here, 'ghostty-oracle.mjs'), '--stream', '--graphemes', 'off', ...extra], cases);

const cube = (i) => { if (i >= 232) { const v = 8 + 10 * (i - 232); return [v, v, v]; } i -= 16; const f = (n) => (n ? 55 + 40 * n : 0); return [f((i / 36) | 0), f(((i / 6) | 0) % 6), f(i % 6)]; };
// Palette colours from 16 on as RGB: one of the engines shows them only so.
export const colour = (c) => { const m = /^p(\d+)$/.exec(c ?? ''); return m && +m[1] >= 16 ? '#' + cube(+m[1]).map((v) => v.toString(16).padStart(2, '0')).join('') : c ?? ''; };
// The part of a cell that all engines show; '' if they all show nothing.
export function cellKey(c) {
  const attributes = (c[5] ?? '').replace('O', ''), isBlank = c[1] === ' ' && !c[3] && !c[4] && !attributes && !c[6] && !c[8];
  return isBlank ? '' : JSON.stringify([c[0], c[1], c[2], colour(c[3]), colour(c[4]), attributes, (c[6] ?? 0) !== 0, (c[8] ?? '') !== '']);
}
// All of it, as the engine that shows everything has it. Ids that a restore gives to links that had none do not count.
export const fullCellKey = (c) => JSON.stringify([...c.slice(0, 8), ...(c[8] === undefined ? [] : [c[8].replace(/^hold~\d+;/, ';')])]);

export function rowsDiff(a, b, what, out, key = cellKey) {
  if (a.length !== b.length) out.push(`${what}.length ${a.length}/${b.length}`);
  for (let y = 0; y < Math.max(a.length, b.length); y++) {
    const ka = (a[y]?.c ?? []).map(key).filter(Boolean), kb = (b[y]?.c ?? []).map(key).filter(Boolean);
    if (ka.join() !== kb.join()) out.push(`${what}[${y}] ${ka.find((k) => !kb.includes(k)) ?? '-'} / ${kb.find((k) => !ka.includes(k)) ?? '-'}`);
    else if (a[y] && b[y] && a[y].w !== null && b[y].w !== null && a[y].w !== b[y].w) out.push(`${what}[${y}].wrapped ${a[y].w}/${b[y].w}`);
  }
}

// A small generator with a seed, so that a failure can be repeated: HOLDFAST_SEED.
export function random(seed) {
  let s = seed | 0;
  return () => { s = (s + 0x6d2b79f5) | 0; let t = Math.imul(s ^ (s >>> 15), 1 | s); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
}
