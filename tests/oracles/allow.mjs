// Known faults of the two engines we compare with, as data: what differs, and why that is not ours to mend.
//   engine: whose fault. difference: matches a line of differences(). when: further condition (optional).
//   recordings: only in these (optional). cuts: in how many cuts it was found with the seed of the check; more are too
//   many (optional).
import { rowText } from './canon.mjs';
import { cellKey, fullCellKey, rowsDiff } from './run.mjs';

const TRACKING = ['?9', '?1000', '?1002', '?1003'];
const PICTURE = /^(cursor \d|screen|scrollback)/;

// The restore made the other engine show our picture, cell by cell: what differs is what that engine had made of the
// original bytes.
const showsOurs = (engine, ours, restored) => {
  const found = [], key = engine === 'xterm' ? fullCellKey : cellKey;
  rowsDiff(ours.screen, restored.screen, 'screen', found, key);
  rowsDiff(ours.scrollback, restored.scrollback, 'scrollback', found, key);
  return !found.length && ours.cursor.x === restored.cursor.x && ours.cursor.y === restored.cursor.y;
};
// Whether a size had fewer rows than the one before it, or more.
const changesRows = (recording, steps, matters) => {
  let rows = recording.rows;
  return steps.some(({ resize }) => { const before = rows; rows = resize?.[1] ?? rows; return matters(before, rows); });
};
const rowsOf = (o) => [...o.scrollback, ...o.screen].map(rowText);
// `fewer` is `all` without some rows that follow each other.
const lacksOnlyOneBlock = (fewer, all) => {
  const lost = all.length - fewer.length, at = all.findIndex((row, y) => row !== fewer[y]);
  return lost > 0 && [...all.slice(0, at), ...all.slice(at + lost)].join('\n') === fewer.join('\n');
};

export const RESTORE = [
  {
    engine: 'xterm', difference: PICTURE, cuts: 4,
    when: ({ recording, steps, ours, restored }) => changesRows(recording, steps, (before, rows) => rows < before) && showsOurs('xterm', ours, restored),
    reason: 'fewer rows: xterm.js cuts rows below the cursor, Ghostty and we move rows from the top to the scrollback (docs/vt.md: rows shrink)',
  },
  {
    engine: 'ghostty', difference: PICTURE, cuts: 8, recordings: ['gemini/resize-while-working'],
    when: ({ recording, steps, ours, original, restored }) => changesRows(recording, steps, (before, rows) => rows > before) &&
      showsOurs('ghostty', ours, restored) && lacksOnlyOneBlock(rowsOf(original), rowsOf(ours)),
    reason: 'more rows: this Ghostty takes back rows from the scrollback until the screen is full, we and xterm.js as many as were added; the program then draws over them (docs/vt.md: reflow)',
  },
  {
    engine: 'ghostty', difference: /^screen\[\d+\]\.wrapped/,
    when: ({ ours, restored }) => ours.screen.every((row, y) => row.w === restored.screen[y].w),
    reason: 'which rows are joined after rows were moved or erased differs between engines and shows only when text is copied or reflowed (docs/vt.md: soft-wrap flag)',
  },
  {
    engine: 'ghostty', difference: /^mode \?(9|1000|1002|1003) 1\/0$/,
    // The mode in force is the one that was set last: that one is restored.
    when: ({ ours, restored }) => TRACKING.every((m) => ours.modes[m] === restored.modes[m]),
    reason: 'Ghostty keeps a bit for every mouse tracking mode that was set; xterm has one mode, the last (docs/vt.md: DECRQM ?1000 after ?1003h). Reports are the same',
  },
];

// Where Ghostty and xterm.js differ, or both are wrong: which of them a case must equal (docs/vt.md, "Disagreements";
// by ctlseqs, DEC STD 070, VT510 and Unicode). match: the name of the case. facts: only these (optional).
const entry = (right, match, reason, facts) => ({ right, match, reason, facts });
export const CASES = [
  entry('ghostty', /^wrap: pending then (EL0|ED0)$/, 'EL and ED at a pending wrap erase the last column; xterm.js stores the cursor behind it'),
  entry('ghostty', /^wrap: pending then CPR$/, 'CPR at a pending wrap reports the last column; xterm.js one more'),
  entry('ghostty', /^wrap: pending DECSC/, 'DECSC keeps a pending wrap; xterm.js loses it'),
  entry('ghostty', /^wrap: reverse (wrap 45 BS|1045)$/, 'reverse wrap counts from behind a pending wrap; xterm.js has no 1045'),
  entry('ghostty', /^wide: (regional single|emoji 15\.1|trigram|U\+2630)/, 'widths of Unicode 16; the tables of xterm.js are of Unicode 11'),
  entry('neither', /^wide: U\+1F6D8/, 'wide since Unicode 17: newer than both'),
  entry('ghostty', /^wide: 1-column screen$/, 'xterm.js has no terminal of one column', ['cursor', 'margins', 'screen']),
  entry('neither', /^wide: 1-column screen$/, 'the only column is the last one, so a wrap is pending; the probe of one engine cannot see it, the other has two columns', ['pendingWrap']),
  entry('ghostty', /^comb: (at column 0|after CUP|after erase)/, 'a combining mark joins the cell on its left, or nothing; xterm.js makes a cell of it'),
  entry('xterm', /^comb: pending wrap$/, 'at a pending wrap the cell on the left is the last one; this Ghostty takes the one before'),
  entry('ghostty', /^comb: (keycap|flag|U\+2028|prepend U\+0600)$/, 'widths as in the Ghostty the shadow stands for'),
  entry('ghostty', /^(stbm|erase|misc|resize|lrm|sc): /, 'a cursor that was never saved counts from the scrolled buffer in the xterm oracle, or follows no reflow', ['saved']),
  entry('ghostty', /^stbm: DECOM cpr$/, 'CPR is relative with DECOM; xterm.js absolute'),
  entry('xterm', /^(stbm|cs|sc|mode): DECSTR/, 'DECSTR resets; Ghostty has none'),
  entry('ghostty', /^mode: DECSTR$/, 'DECSTR leaves bracketed paste alone (VT510, xterm); xterm.js resets it', ['mode ?2004']),
  entry('ghostty', /^lrm: /, 'left and right margins; xterm.js has none'),
  entry('xterm', /^(erase: alt clear with bg|alt: 1049 clear uses bg)$/, '1049 clears with the background in force; Ghostty with the old one of the alternate screen'),
  entry('ghostty', /^erase: ED 22$/, 'ED 22 moves the screen to the scrollback; xterm.js has none'),
  entry('ghostty', /^erase: SPA EPA ED$/, 'ED respects ISO protection; xterm.js does not'),
  entry('ghostty', /^erase: DECALN$/, 'DECALN resets the margins; xterm.js does not'),
  entry('xterm', /^tab: TBC 0$/, 'TBC without a parameter clears the stop at the cursor; Ghostty ignores it'),
  entry('neither', /^tab: resize wider keeps$/, 'a wider screen keeps the stops (xterm); Ghostty sets all anew, xterm.js shifts them'),
  entry('ghostty', /^tab: DECST8C$/, 'DECST8C; xterm.js has none'),
  entry('ghostty', /^sgr: (38:2: no cs|38;2 truncated|5 6 25)$/, '38:2:r:g:b without a colour space is what programs send; a truncated colour is ignored; SGR 6 blinks'),
  entry('xterm', /^sgr: (48:2 trailing|40 params)$/, 'tolerance fields are ignored; more than 32 parameters keep the first ones; Ghostty drops both'),
  entry('neither', /^sgr: 38:5:$/, '38:5 without an index is ignored; Ghostty takes the 5 for blink, xterm.js sets colour 0'),
  entry('ghostty', /^alt: (1049 and back|47 keeps content|47 cursor shared|1049 twice)$/, 'the alternate screen keeps its contents; xterm.js clears it on leaving'),
  entry('ghostty', /^alt: (tabs shared|STBM shared|DECOM)$/, 'tab stops and margins belong to both screens; xterm.js has them a buffer'),
  entry('ghostty', /^alt: kitty-like resize in alt$/, 'xterm.js cleared the alternate screen on leaving', ['other']),
  entry('neither', /^alt: kitty-like resize in alt$/, 'the saved cursor follows the text it stands behind; in both others it stays, and what is printed next overwrites text', ['cursor', 'pendingWrap', 'saved', 'screen']),
  entry('ghostty', /^cs: (SS2|SS3)$/, 'single shifts; xterm.js has none'),
  entry('ghostty', /^cs: (DECSC saves|unknown German|GR LS1R)$/, 'charsets as in Ghostty: a set it does not know changes nothing, G0 to G3 are saved'),
  entry('ghostty', /^cs: ESC % @ latin1$/, 'UTF-8 for good, and U+FFFD for what is not'),
  entry('ghostty', /^sc: origin$/, 'DECRC restores DECOM; xterm.js 6.0 does not'),
  entry('ghostty', /^sc: after resize$/, 'a saved cursor follows its text through a reflow'),
  entry('xterm', /^(sc: RIS clears|misc: OSC 8 RIS)$/, 'RIS clears both screens', ['other']),
  entry('xterm', /^mode: mouse (exclusive|reset other)$/, 'there is one mouse tracking mode, the last one set; Ghostty keeps a bit for each'),
  entry('ghostty', /^mode: (save restore XTSAVE|XTSAVE 2004)$/, 'XTSAVE and XTRESTORE; xterm.js has none'),
  entry('xterm', /^mode: DECCOLM 40$/, 'the width belongs to whoever looks at the session', ['margins', 'pen', 'other']),
  entry('ghostty', /^mode: DECCOLM 40$/, 'DECCOLM homes the cursor', ['cursor']),
  entry('neither', /^mode: DECCOLM 40$/, 'DECCOLM clears the screen, and leaves its width', ['screen']),
  entry('xterm', /^parse: DEL in text$/, 'DEL is ignored; Ghostty prints a cell'),
  entry('neither', /^parse: C1 (CSI as U\+009B|NEL U\+0085)$/, 'C1 as UTF-8 is neither a control nor a cell', ['cursor', 'screen']),
  entry('ghostty', /^parse: C1 (CSI as U\+009B|raw 9b|raw 85)$/, 'C1 bytes are no controls in UTF-8'),
  entry('ghostty', /^parse: colon in CUP$/, 'sub-parameters belong to SGR: the sequence is ignored'),
  entry('ghostty', /^utf8: /, 'U+FFFD for each maximal subpart; xterm.js drops bytes silently'),
  entry('xterm', /^reply: (DECXCPR|DECRQM|ANSI DECRQM|DECRQSS r|18t)/, 'this build of Ghostty answers DSR only'),
  entry('neither', /^(reply: (DA1|DA2|DA3|XTVERSION|kitty|14t|OSC 10|OSC 4|XTGETTCAP|DSR \?996|XTQMODKEYS|DECRQSS m|DECRQSS cursor)|sgr: \? prefix)$/, 'the answers are those of the client profile (docs/vt.md, "Replies"); this build of Ghostty answers DSR only, xterm.js says what it is, or nothing', ['responses']),
  entry('neither', /^misc: ESC 6n at pending$/, 'DECXCPR at a pending wrap reports the last column; xterm.js one more, Ghostty nothing'),
  entry('ghostty', /^rep: (after CUP|after SGR|after C0|combining)$/, 'REP repeats the last printed character whatever came between'),
  entry('ghostty', /^rep: huge$/, 'REP takes up to 65,535; xterm.js stops at the buffer'),
  entry('ghostty', /^resize: (shorter, cursor top|wide at edge|1 col|pending wrap same|bg cells|cursor mid wrapped|spacer head unwrap)$/, 'reflow as in Ghostty: rows above go to the scrollback, a wide character is never cut, painted cells are cells', ['screen', 'scrollback', 'margins', 'cursor', 'pendingWrap']),
  entry('neither', /^resize: (wide at edge|1 col)$/, 'the cursor follows the text it stands behind; Ghostty leaves it on another row, xterm.js has no terminal of one column', ['cursor']),
  entry('xterm', /^misc: (CBT 0|DECIC|DECIC proper|DECDC|SL|SR)$/, 'a parameter 0 counts as 1; DECIC, DECDC, SL and SR; Ghostty has none of them'),
  entry('xterm', /^resize: (pending wrap|trailing blanks|DECAWM off|hard newline at edge)$/, 'what was printed is not lost, and the cursor stays behind it'),
];
