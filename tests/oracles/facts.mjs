// The facts of a terminal that engines can be compared by.
import { colour, rowsDiff } from './run.mjs';

export const MODES = ['4', '?1', '?6', '?7', '?45', '?66', '?1004', '?2004', '?2026', '?9', '?1000', '?1002', '?1003', '?1006', '?1016'];

// The facts that all engines show, as name -> comparable value; hidden ones only where they are known.
export function facts(o) {
  const f = { cursor: `${o.cursor.x},${o.cursor.y}`, visible: o.cursor.visible, alt: o.alt, responses: o.responses };
  for (const m of MODES) f['mode ' + m] = o.modes[m];
  const h = o.hidden;
  if (!h) return f;
  if (h.pendingWrap !== null) f.pendingWrap = h.pendingWrap;
  f.margins = JSON.stringify(['top', 'left', 'bottom', 'right'].map((k) => h.margins[k]));
  f.tabs = JSON.stringify(h.tabs.filter((x) => x < o.cols - 1));
  f.charsets = JSON.stringify(['gl', 'g0', 'g1', 'g2', 'g3'].map((k) => h.charsets[k]));
  f.pen = JSON.stringify([colour(h.pen[0]), colour(h.pen[1]), (h.pen[2] ?? '').replace('O', '')]);
  f.saved = `${h.saved.x},${h.saved.y}`;
  return f;
}

// Names of facts in which two engines differ; ['error'] if one of them failed. Which rows are joined counts with their
// cells, or is a fact of its own.
export function differences(a, b, joins = 'with cells') {
  if (a.error || b.error) return ['error'];
  const fa = facts(a), fb = facts(b);
  const names = Object.keys(fa).filter((k) => k in fb && fa[k] !== fb[k]);
  const compare = (part, rowsA, rowsB) => {
    const found = [];
    rowsDiff(rowsA, rowsB, part, found);
    if (!found.length) return;
    const isOnlyJoins = joins === 'apart' && found.every((d) => d.includes('.wrapped '));
    names.push(isOnlyJoins ? part + ' joins' : part);
  };
  compare('screen', a.screen, b.screen);
  compare('scrollback', a.scrollback, b.scrollback);
  if (a.hidden && b.hidden) compare('other', a.hidden.otherScreen.rows, b.hidden.otherScreen.rows);
  return names;
}
