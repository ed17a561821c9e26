// Where the two engines we compare with are known to differ from us after random tokens (docs/vt.md, "Judges, and where
// they disagree"), as data. Each reason says what is right, and what the other makes of it; what is ours stands in none.
//   SAYS: the engine is told the same in other words. LACKS: it has no such function; it is not looked at from there on.
//   DIFFERENCES: facts that may differ right after a token of these kinds (of sequences.mjs), if `when` holds of what was
//   seen: the token and those before it, ours and theirs before and after, facts that stood different before.
import { cellKey, rowsDiff } from './run.mjs';

const csi = (rest) => new RegExp(`^\\x1b\\[(?:${rest})$`);
const isPrinting = ({ token }) => ['text', 'wide', 'mark', 'emoji', 'repeat'].includes(token.kind);
const isSet = (o, mode) => (o?.modes[mode] ?? (mode === '?7' ? 1 : 0)) === 1;
const pends = ({ before }) => before?.cursor.pendingWrap ?? false;
const textIn = (token) => token.bytes?.toString('latin1') ?? '';
const anyBefore = ({ tokens, k }, found) => tokens.slice(0, k).some((t) => found(textIn(t), t));

// No difference is left between the cells on screen and in scrollback if all are taken through `as`.
const equalIf = (as) => ({ ours, theirs }) => {
  const found = [], key = (c) => { const other = as([...c]); return other ? cellKey(other) : ''; };
  rowsDiff(ours.screen, theirs.screen, '', found, key);
  rowsDiff(ours.scrollback, theirs.scrollback, '', found, key);
  return found.every((d) => d.includes('.wrapped '));
};
const blanksAreBlank = equalIf((c) => (c[1] === ' ' ? [c[0], ' ', 1, '', c[4]] : c)); // only their background counts
const blanksApart = equalIf((c) => (c[1] === ' ' ? null : c));
const linksApart = equalIf((c) => { c[8] = ''; return c; });

// A wide character ends in the last column, and the other engine has a blank cell there.
const isRightHalfTaken = (seen) => {
  const last = seen.ours.cols - 1;
  return [...seen.ours.scrollback, ...seen.ours.screen].some((row) => row.c.some((c) => c[0] === last - 1 && c[2] === 2)) &&
    equalIf((c) => (c[0] === last && c[1] === ' ' ? null : c))(seen);
};
const showsTwoInOnePlace = ({ theirs }) => theirs.screen.some((row) => row.c.some((c, i) => c[2] === 2 && row.c[i + 1]?.[0] === c[0] + 1));
const isMarkInLastColumn = ({ ours }) => ours.screen.some((row) => row.c.some((c) => c[0] + c[2] === ours.cols && [...c[1]].length > 1));
const textOf = (o) => [...o.scrollback, ...o.screen].map((row) => row.c.map((c) => c[1].trim()).join('')).join('');

// Not just printing over the whole screen, which scrolls rows out together with what they are joined to.
const hasMargins = (o) => o && ((m) => m.top > 0 || m.left > 0 || m.bottom < o.rows - 1 || m.right < o.cols - 1)(o.hidden.margins);
const movesRows = (seen) => !isPrinting(seen) || isSet(seen.before, '4') || seen.before?.alt || hasMargins(seen.before);
const MOVES_ROWS = ['shift', 'erase', 'index', 'protect'];

// The last token that may have moved the cursor, or ended a pending wrap.
const QUIET = ['sgr', 'save', 'insert', 'autowrap', 'newline', 'reverse', 'mode', 'keypad', 'report', 'ignored', 'link', 'charset', 'protect'];
const lastMove = ({ tokens, k }) => textIn(tokens.slice(0, k).findLast((t) => !QUIET.includes(t.kind)) ?? {});

const PICTURE = /^(cursor|screen|scrollback|pendingWrap)$/, CELLS = /^(screen|scrollback)$/, JOINS = /joins$/;
const SAVES = /^\x1b(7|\[s|\[\?104[89]h)$/, RESTORES = /^\x1b(8|\[u|\[\?104[89]l)$/, SIDES = csi('[0-9]+;[0-9]+s');

export const SAYS = [
  { engine: 'ghostty', token: /^[\x7f\x10-\x1a]$/, instead: '', reason: 'DEL, CAN and C0 from 10 on are ignored in text; Ghostty prints a cell' },
  { engine: 'ghostty', token: csi('g'), instead: '\x1b[0g', reason: 'TBC without a parameter clears the stop at the cursor; Ghostty ignores it' },
  { engine: 'ghostty', token: csi('0([IZae])'), instead: '\x1b[1$1', reason: 'a parameter 0 of CHT, CBT, HPR and VPR counts as 1; Ghostty does not move' },
  { engine: 'xterm', token: /^\x1bc/, instead: '\x1bc\x1b[20l\x1b[?25h', reason: 'RIS resets LNM and shows the cursor; in xterm.js it does not' },
];

export const LACKS = [
  { engine: 'ghostty', token: csi('!p'), reason: 'DECSTR resets; Ghostty has none' },
  { engine: 'ghostty', token: csi(`[0-9]*(?:'[}~]| [@A])`), reason: 'DECIC, DECDC, SL and SR; Ghostty has none of them' },
  { engine: 'xterm', token: csi('\\?69h'), reason: 'left and right margins; xterm.js has none' },
];

const entry = (engine, reason, facts, rest = {}) => ({ engine, facts, reason, ...rest });
export const DIFFERENCES = [
  entry('ghostty', 'which rows are joined after rows or cells were moved or erased differs between engines, and shows only when text is copied or reflowed', JOINS, { when: movesRows }),
  entry('ghostty', 'the same, at the next reflow', PICTURE, { kinds: ['resize'], when: (seen) => textOf(seen.ours) === textOf(seen.theirs) && anyBefore(seen, (_, t) => MOVES_ROWS.includes(t.kind)) }),
  entry('ghostty', 'there is one mouse tracking mode, the last one set; Ghostty keeps a bit for each', /^mode \?(1000|1002|1003)$/, { kinds: ['mode'] }),
  entry('ghostty', 'at a pending wrap the cell on the left is the last one; this Ghostty takes the one before', /^screen$/, { kinds: ['mark', 'emoji'], when: isMarkInLastColumn }),
  entry('ghostty', 'what is left of a wide character that is cut is blank; Ghostty leaves its attributes, which show', CELLS, { when: blanksAreBlank }),
  entry('ghostty', 'only a spacer goes when its wide character is overwritten; Ghostty also takes the right half of another for one', CELLS, { when: isRightHalfTaken }),
  entry('ghostty', 'nothing shows over the right half of a wide character; in Ghostty it does after that', /^screen$/, { when: showsTwoInOnePlace }),
  entry('ghostty', 'a wide character that wraps in insert mode is inserted; Ghostty overwrites', CELLS, { kinds: ['wide', 'mark'], when: ({ before }) => isSet(before, '4') }),
  entry('ghostty', 'ECH leaves a protected wide character also when its right half is meant; Ghostty cuts it', /^screen$/, { token: csi('[0-9]*X'), when: (seen) => anyBefore(seen, (text) => text === '\x1bV') }),
  entry('ghostty', 'the cursor follows the text it stands behind; Ghostty leaves it elsewhere', /^cursor$/, { kinds: ['resize'], when: ({ names }) => !names.includes('screen') }),
  entry('ghostty', 'so does a saved cursor', /^cursor$/, { token: RESTORES, when: (seen) => seen.tokens.slice(0, seen.k).some((t) => t.size) }),
  entry('ghostty', 'what was printed is not lost in a reflow; Ghostty loses what stands at the end of the screen', PICTURE, { kinds: ['resize'], when: ({ ours, theirs }) => textOf(theirs).length < textOf(ours).length }),
  entry('ghostty', 'CHA, HPA, HPR and VPR keep to their direction in origin mode; Ghostty adds the top margin', /^cursor$/, { token: csi('[0-9]*[G`ae]'), when: ({ before }) => isSet(before, '?6') && before.hidden.margins.top > 0 }),
  entry('ghostty', 'CUB and BS stop at the left margin; Ghostty goes on', /^cursor$/, { kinds: ['control', 'move', 'inside'], when: ({ before, theirs }) => theirs.cursor.x < before.hidden.margins.left }),
  entry('ghostty', 'reverse wrap does nothing at home; Ghostty jumps to the top margin', /^cursor$/, { when: ({ before, theirs }) => isSet(before, '?45') && before.cursor.y < before.hidden.margins.top && theirs.cursor.y === before.hidden.margins.top }),
  entry('ghostty', 'C1 as UTF-8 is neither a control nor a cell; Ghostty prints a cell', PICTURE, { token: /^\xc2\x85$/ }),
  entry('ghostty', 'CBT ends a pending wrap, as all movement does; Ghostty keeps it', PICTURE, { when: (seen) => isPrinting(seen) && csi('[0-9]*Z').test(lastMove(seen)) }),
  entry('ghostty', 'RI ends a pending wrap also where it scrolls; Ghostty keeps it there', PICTURE, { when: (seen) => isPrinting(seen) && lastMove(seen) === '\x1bM' }),
  entry('ghostty', 'TBC leaves a column alone that has no stop; Ghostty sets one', /^cursor$/, { when: (seen) => /\t|\[[0-9]*[IZ]$/.test(seen.text) && anyBefore(seen, (text) => csi('0?g').test(text)) }),
  entry('ghostty', '1049 clears with the background in force; Ghostty with the old one of the alternate screen', /^screen$/, { token: csi('\\?1049h') }),
  entry('ghostty', 'charsets leave non-ASCII alone; Ghostty blanks it', CELLS, { kinds: ['wide', 'mark', 'emoji', 'broken'], when: ({ before }) => ['gl', 'g0', 'g1', 'g2', 'g3'].some((g) => before.hidden.charsets[g] !== 'ascii') }),
  entry('ghostty', 'the alternate screen has no scrollback', /^scrollback$/, { when: ({ ours }) => ours.alt }),

  entry('xterm', 'which rows are joined after rows or cells were moved or erased differs between engines, and shows only when text is copied or reflowed; a line feed separates rows in xterm.js', JOINS, { when: (seen) => movesRows(seen) || seen.stood.has('screen joins') }),
  entry('xterm', 'a blank row is a line of its own in history', /^scrollback joins$/, { when: ({ ours }) => ours.scrollback.some((row) => !row.c.length) }),
  entry('xterm', 'left and right margins; xterm.js has none, and saves the cursor instead', /^saved$/, { token: SIDES }),
  entry('xterm', 'the same, and what was saved comes back', /./, { token: RESTORES, when: (seen) => anyBefore(seen, (text) => SIDES.test(text)) }),
  entry('xterm', 'a saved cursor stays where it was saved; in xterm.js it scrolls away with the text', /^saved$/, { when: ({ text }) => !SAVES.test(text) }),
  entry('xterm', 'the same, and it comes back', /./, { token: RESTORES, when: ({ stood }) => stood.has('saved') }),
  entry('xterm', 'DECSC keeps a pending wrap; xterm.js stores the column behind the last, and comes back without the wrap', /^saved$/, { token: SAVES, when: pends }),
  entry('xterm', 'EL, ED, ECH, ICH, DCH, DECIC and DECDC at a pending wrap act on the last column; xterm.js stands behind it', PICTURE, { kinds: ['erase', 'protect', 'shift', 'columns'], when: pends }),
  entry('xterm', 'what is left of a wide character that is cut is blank; in xterm.js it has the attributes of the pen, which show', CELLS, { when: blanksAreBlank }),
  entry('xterm', 'what is left of a wide character that is cut takes a column each; xterm.js has a cell without width', CELLS, { kinds: ['shift', 'columns'], when: (seen) => blanksApart(seen) && anyBefore(seen, (_, t) => ['wide', 'mark', 'emoji'].includes(t.kind)) }),
  entry('xterm', 'DECRC and DECSTR leave an open link alone, and a switch of screens ends it, as in Ghostty; in xterm.js it is the other way round', CELLS, { when: (seen) => linksApart(seen) && anyBefore(seen, (text, t) => t.kind === 'alternate' || RESTORES.test(text) || csi('!p').test(text)) }),
  entry('xterm', 'ED, EL and ECH respect ISO protection; in xterm.js not', CELLS, { kinds: ['erase', 'protect', 'shift'], when: (seen) => anyBefore(seen, (text) => text === '\x1bV') }),
  entry('xterm', 'U+FFFD for each maximal subpart; xterm.js drops bytes silently, and takes C1 for controls', PICTURE, { kinds: ['broken'] }),
  entry('xterm', 'REP repeats the last printed character whatever came between, without its marks; xterm.js only once and right after it, and with them', PICTURE, { kinds: ['repeat'], when: ({ tokens, k }) => !['text', 'wide'].includes(tokens[k - 1]?.kind) }),
  entry('xterm', 'SD brings rows with the background in force; xterm.js without', CELLS, { token: csi('[0-9]*T') }),
  entry('xterm', 'widths of Unicode 17, and a mark without a character to its left is dropped; the tables of xterm.js are of Unicode 11', PICTURE, { kinds: ['emoji'] }),
  entry('xterm', 'sub-parameters belong to SGR: the sequence is ignored', /^(cursor|pendingWrap)$/, { token: csi('3:1H') }),
  entry('xterm', 'relative movement counts from the cursor; xterm.js adds the top margin in origin mode', /^cursor$/, { kinds: ['move', 'inside'], when: ({ before }) => isSet(before, '?6') && before.hidden.margins.top > 0 }),
  entry('xterm', 'DECRC restores DECOM; xterm.js 6.0 does not', /^(mode \?6|cursor)$/, { token: RESTORES, when: (seen) => isSet(seen.before, '?6') || isSet(seen.ours, '?6') || isSet(seen.theirs, '?6') }),
  entry('xterm', 'the alternate screen keeps its contents; xterm.js clears it on leaving, and fills it on entering', /^(screen|other)$/, { kinds: ['alternate'] }),
  entry('xterm', 'reflow as in Ghostty: rows above go to the scrollback, and the line of the cursor flows, too', /^(cursor|screen|scrollback|pendingWrap|other)$/, { kinds: ['resize'] }),
  entry('xterm', 'ED 22 moves the screen to the scrollback; xterm.js has none', PICTURE, { token: csi('22J') }),
  entry('xterm', 'without autowrap the cell in the last column is overwritten whole; xterm.js leaves half of a wide character, forgets the pending wrap, and reverses it', PICTURE, { when: (seen) => !isSet(seen.before, '?7') && (isPrinting(seen) ? pends(seen) || ['wide', 'mark', 'emoji'].includes(seen.token.kind) : pends(seen) && isSet(seen.before, '?45')) }),
  entry('xterm', 'CPR reports the last column at a pending wrap, and is relative in origin mode; in xterm.js neither', /^responses$/, { kinds: ['report'], when: (seen) => pends(seen) || isSet(seen.before, '?6') }),
  entry('xterm', '38:2:r:g:b without a colour space is what programs send; SGR 6 blinks', /^pen$/, { token: csi('(?:38:2:1:2:3|6)m') }),
  entry('xterm', 'tab stops, margins and charsets belong to both screens; xterm.js has them a buffer', /^(margins|tabs|charsets)$/, { kinds: ['alternate'] }),
  entry('xterm', 'ESC % G leaves charsets alone, DECRC brings back G0 to G3 and what is in GL, and locking shifts reach G2 and G3; in xterm.js not', /^charsets$/, { when: ({ token, text }) => ['save', 'alternate', 'charset'].includes(token.kind) || text === '\x1b%G' }),
  entry('xterm', 'CSI 1 J on the last row erases; xterm.js throws', /^error$/, { token: csi('\\??1J') }),
  entry('xterm', 'DECALN takes the colours of the pen, and resets margins and origin mode; xterm.js takes all of the pen and resets nothing', /^(screen|other|margins|cursor|pen|mode \?6)$/, { token: /^\x1b#8$/ }),
  entry('xterm', 'DECSTR leaves bracketed paste and focus reports alone; xterm.js resets them', /^mode \?(1004|2004)$/, { token: csi('!p') }),
  entry('xterm', 'CBT moves back from a pending wrap; xterm.js does not', /^(cursor|pendingWrap)$/, { token: csi('[0-9]*Z'), when: pends }),
];
