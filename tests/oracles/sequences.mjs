// Random sequences for random_check.mjs: what a program may send, as tokens, each of which leaves the parser where it
// found it. A sequence depends on the seed and its number alone.
import { random } from './run.mjs';

const E = '\x1b', C = E + '[';
const utf8 = (text) => Buffer.from(text, 'utf8');
const raw = (...bytes) => Buffer.from(bytes);

// kind -> [weight, makes the bytes of one token with the picker]. A kind that not every engine has, or that engines
// are known to differ in, is in few sequences, so that most are compared to their end by all.
const COMMON = {
  text: [12, (r) => r.pick(['a', 'bc', 'hello', 'x y', 'wrap this text'])],
  wide: [3, (r) => r.pick(['\u4e2d', '\uff21', '\u65e5\u672c'])],
  mark: [1, (r) => r.pick(['e\u0301', 'a\u0300\u0301', '\u4e2d\u0308'])],
  control: [6, (r) => r.pick(['\r\n', '\n', '\r', '\b', '\t', '\v', '\f'])],
  cup: [4, (r) => `${C}${r.from(0, 7)};${r.from(0, 12)}${r.pick(['H', 'f'])}`],
  move: [4, (r) => `${C}${r.pick(['', r.from(0, 5)])}${r.pick([...'ABCDEFGd`ae'])}`],
  erase: [3, (r) => `${C}${r.pick(['', 0, 1, 2])}${r.pick(['J', 'K'])}`],
  shift: [4, (r) => `${C}${r.pick(['', 1, 2, 9])}${r.pick([...'@PXLMST'])}`],
  index: [2, (r) => r.pick([`${E}M`, `${E}D`, `${E}E`])],
  sgr: [4, (r) => `${C}${r.pick(['', '1', '31', '44', '4', '7', '38;5;200', '48;2;1;2;3', '0', '22', '3', '2', '9', '24', '39;49', '97;105', '8', '5;1', '23;27;28;29', '38;2;10;20;30;4', '4:3', '21', '58;5;9', '53'])}m`],
  save: [1.5, (r) => r.pick([`${E}7`, `${E}8`, `${C}s`, `${C}u`])],
  margins: [1, (r) => `${C}${r.pick(['2;4', '', '3', '1;3', '2;3', '0;0', '4;2'])}r`],
  origin: [0.6, (r) => `${C}?6${r.pick(['h', 'l'])}`],
  autowrap: [0.6, (r) => `${C}?7${r.pick(['h', 'l'])}`],
  insert: [0.6, (r) => `${C}4${r.pick(['h', 'l'])}`],
  newline: [0.3, (r) => `${C}20${r.pick(['h', 'l'])}`],
  mode: [0.6, (r) => `${C}?${r.pick(['1', '25', '66', '1004', '2004', '1000', '1002', '1003', '1006'])}${r.pick(['h', 'l'])}`],
  keypad: [0.2, (r) => E + r.pick(['=', '>'])],
  report: [0.4, () => `${C}6n`],
  ignored: [0.6, (r) => r.pick([`${E}]2;title\x07`, `${E}]0;t${E}\\`, `${E}P1$tx${E}\\`, `${E}_program${E}\\`, `${E}^pm${E}\\`, `${C}1;2;3z`, `${C}>5z`, `${C}?3;4$z`, `${E}%G`, '\0', '\x07', `${C}31;\x18`, `${E}]2;cut\x18`, `${C}2 q`])],
  inside: [0.5, (r) => r.pick([`${C}3\b1m`, `${C}2\r;2H`, `${C}${E}[1m`, `${C}2\nC`, `${E}\n7`, `${C}00000000000000000002C`, `${C}99999999999999999999C`, `${C}1;2;3;4;5;6;7m`])],
  link: [0.5, (r) => `${E}]8;${r.pick([';', ';http://one', 'id=x;http://two'])}${E}\\`],
};
const RARE = {
  tab: [1.5, (r) => r.pick([`${E}H`, `${C}0g`, `${C}3g`, `${C}I`, `${C}Z`, `${C}2I`, `${C}2Z`])],
  reset: [1, (r) => r.pick([`${E}#8`, `${E}c${C}?2027l`, `${C}!p`, `${C}3J`])],
  alternate: [2, (r) => `${C}?${r.pick([47, 1047, 1049])}${r.pick(['h', 'l'])}`],
  charset: [2, (r) => r.pick([`${E}(0`, `${E}(B`, `${E})0`, '\x0e', '\x0f', `${E}(A`, `${E}*0${E}n`])],
  repeat: [2, (r) => `${C}${r.pick(['', 3, 12])}b`],
  reverse: [2, (r) => `${C}?45${r.pick(['h', 'h', 'l'])}`],
  sides: [3, (r) => C + r.pick(['?69h', '?69h', '?69l', '2;5s', '3;9s', 's'])],
  protect: [2, (r) => r.pick([`${C}1"q`, `${C}0"q`, `${C}?0J`, `${C}?1K`, `${C}?2J`, `${E}V`, `${E}W`])],
  emoji: [2, (r) => r.pick(['\u{1f600}', '\u2764\ufe0f', '\u{1f468}\u200d\u{1f469}', '\u{1f1e9}\u{1f1ea}', '\u0308', '\u200b', '\u{1f44d}\u{1f3fd}'])],
  broken: [2, (r) => r.pick([raw(0xc3, 0x7a), raw(0xe4, 0xb8, 0x7a), raw(0xff), raw(0xc0, 0xaf), raw(0xed, 0xa0, 0x80), raw(0xf0, 0x9f, 0x98, 0x7a), raw(0x9b), raw(0x85), utf8('\u0085')])],
  odd: [2, (r) => r.pick(['\x7f', '\x18', '\x1a', '\x11', `${C}g`, `${C}0I`, `${C}0Z`, `${C}22J`, `${C}?5W`, `${C}?1048h`, `${C}?1048l`, `${C}38:2:1:2:3m`, `${C}38:5:5m`, `${C}6m`, `${C}3:1H`])],
  columns: [2, (r) => C + r.pick([`2'}`, `'~`, ' @', '2 A', `3'~`])],
  resize: [1.5, (r) => [r.from(2, 14), r.from(1, 7)]],
};

const TOKENS_MIN = 5, TOKENS_MAX = 30;
// Of ten sequences, so many have no rare kind, one, or two.
const RARE_KINDS = [0, 0, 0, 1, 1, 1, 1, 1, 2, 2];

// {number, cols, rows, tokens: [{kind, bytes: Buffer} | {kind: 'resize', size: [cols, rows]}]}
export function sequence(seed, number) {
  const next = random(Math.imul(seed, 0x9e3779b1) + Math.imul(number, 0x85ebca6b));
  const r = { from: (a, b) => a + Math.floor(next() * (b - a + 1)), pick: (list) => list[Math.floor(next() * list.length)] };
  const kinds = { ...COMMON };
  for (let n = r.pick(RARE_KINDS); n > 0; n--) { const name = r.pick(Object.keys(RARE)); kinds[name] = RARE[name]; }
  const sum = Object.values(kinds).reduce((n, [weight]) => n + weight, 0);
  const token = () => {
    let at = next() * sum;
    const [kind, [, make]] = Object.entries(kinds).find(([, [weight]]) => (at -= weight) < 0) ?? ['text', COMMON.text];
    const made = make(r);
    return Array.isArray(made) ? { kind, size: made } : { kind, bytes: Buffer.isBuffer(made) ? made : utf8(made) };
  };
  const isUsual = r.from(0, 1) === 0;
  const cols = isUsual ? 10 : r.from(2, 14), rows = isUsual ? 5 : r.from(1, 7);
  return { number, cols, rows, tokens: Array.from({ length: r.from(TOKENS_MIN, TOKENS_MAX) }, token) };
}

// For printf %b, in quotes; a resize stands as [columns x rows].
export function shown({ cols, rows, tokens }) {
  const escaped = (bytes) => [...bytes.toString('latin1')].map((c) => (c < ' ' || c > '~' || c === '\\' ? '\\0' + c.charCodeAt(0).toString(8).padStart(3, '0') : c)).join('');
  return `--cols ${cols} --rows ${rows}: ` + tokens.map((t) => (t.size ? `[${t.size[0]}x${t.size[1]}]` : `'${escaped(t.bytes)}'`)).join(' ');
}
