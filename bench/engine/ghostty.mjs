// Ghostty's engine (npm ghostty-opentui, its native module), timed in its own CPU time: ghostty.mjs FILE. Prints one JSON
// object. Its scrollback is without bound: it is cleared every 256 KiB, or memory would decide.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const COLS = 120, ROWS = 40, CHUNK = 64 << 10, WARM_UP = 256 << 10, CLEAR_EVERY = 4;
const require = createRequire(new URL('../../build/bench/engine/package.json', import.meta.url));
const engine = require(require.resolve('ghostty-opentui').replace(/ffi\.js$/, 'linux-x64/ghostty-opentui.node'));

// It takes strings: cut between characters.
function chunks(bytes) {
  const out = [];
  for (let from = 0; from < bytes.length;) {
    let to = Math.min(bytes.length, from + CHUNK);
    while (to < bytes.length && (bytes[to] & 0xc0) === 0x80) to--;
    out.push(bytes.toString('utf8', from, to));
    from = to;
  }
  return out;
}

function feed(pieces) {
  engine.createTerminal(1, COLS, ROWS);
  engine.feedTerminal(1, '\x1b[20l');
  const before = process.cpuUsage();
  pieces.forEach((piece, i) => {
    engine.feedTerminal(1, piece);
    if ((i + 1) % CLEAR_EVERY === 0) engine.feedTerminal(1, '\x1b[3J');
  });
  const { user, system } = process.cpuUsage(before);
  engine.destroyTerminal(1);
  return (user + system) / 1e6;
}

const bytes = fs.readFileSync(process.argv[2]);
feed(chunks(bytes.subarray(0, WARM_UP)));
console.log(JSON.stringify({ mib_s: bytes.length / 1048576 / feed(chunks(bytes)) }));
