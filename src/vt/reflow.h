// Changing the size of a screen: the primary reflows its lines, the alternate is cut or padded.
//
// History is never reflowed (it is stored as logical lines); only the rows of the grid are joined into lines and cut
// again at the new width, pulling lines back from history when rows are added. Cost is that of the grid.
#pragma once

#include "vt/state.h"

namespace holdfast::vt {

// Resizes the primary screen. The cursor, the saved cursor and pending wrap follow the text they stand on (a pending
// wrap stays pending only if the cursor is in the new last column). Rows shrink: blank rows below the cursor go first,
// then rows at the top go to history. Rows grow: rows come back from history, then blank rows are added below.
void reflow_primary(ScreenState& screen, History& history, Tables& tables, int cols, int rows);

// Resizes the alternate screen: no reflow, rows and columns are cut or padded; the cursor is clamped.
void resize_alternate(ScreenState& screen, int cols, int rows);

}  // namespace holdfast::vt
