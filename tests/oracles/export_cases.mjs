#!/usr/bin/env node
// Writes the hand-made cases of cases.mjs for tests that are not JavaScript: one JSON object a line.
//   export_cases.mjs > ../fixtures/vt/cases.jsonl
// {"name", "cols", "rows", "steps": [{"bytes": base64} | {"resize": [cols, rows]} ...]}
import { HAND } from './cases.mjs';

const step = (s) => (typeof s === 'string' || Buffer.isBuffer(s) ? { bytes: Buffer.from(s).toString('base64') } : { resize: s });
for (const c of HAND) {
  const steps = (Array.isArray(c.in) ? c.in : [c.in]).map(step);
  console.log(JSON.stringify({ name: c.name, cols: c.cols ?? 10, rows: c.rows ?? 4, steps }));
}
