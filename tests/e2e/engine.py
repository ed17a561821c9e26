"""Our own terminal engine as the eyes of the tests: `hold debug vt` turns bytes into one canonical object."""

import json
import os
import subprocess

HOLD = os.environ.get("HOLD", "hold")


def canonical(data, cols, rows, resizes=(), scrollback=1000):
    """The canonical object (docs/cli.md, `hold debug vt`) after `data`; resizes are (offset, cols, rows)."""
    argv = [HOLD, "debug", "vt", "--cols", str(cols), "--rows", str(rows), "--scrollback", str(scrollback)]
    for offset, new_cols, new_rows in resizes:
        argv += ["--resize", f"{new_cols}x{new_rows}@{offset}"]
    done = subprocess.run(argv, input=bytes(data), capture_output=True, timeout=120, check=False)
    if done.returncode != 0:
        raise AssertionError(f"hold debug vt failed ({done.returncode}): {done.stderr[-2000:]!r}")
    return json.loads(done.stdout)


def row_text(row, keep=False):
    """One canonical row as text; blanks at its end are cut unless `keep`."""
    text, column = "", 0
    for cell in row["c"]:
        text += " " * (cell[0] - column) + (cell[1] or " ")
        column = cell[0] + (cell[2] if len(cell) > 2 else 1)
    return text if keep else text.rstrip()


def unwrapped(rows):
    """Rows as text, those that the terminal wrapped joined."""
    return "".join(("" if row["w"] else "\n") + row_text(row, keep=True) for row in rows)


def picture(seen):
    """What a person sees: cells, cursor, which screen."""
    return {"screen": [row["c"] for row in seen["screen"]], "cursor": seen["cursor"], "alt": seen["alt"]}


# Where the cursor stands and what was drawn may differ after a detach; all else may not.
_CONTENT = {"pendingWrap", "otherScreen", "saved", "events"}


def outer_state(seen):
    """Everything of a terminal but its content and the cursor's place: what must be as before after a detach."""
    hidden = {key: value for key, value in seen.get("hidden", {}).items() if key not in _CONTENT}
    cursor = {key: value for key, value in seen["cursor"].items() if key not in ("x", "y", "pendingWrap")}
    return {"alt": seen["alt"], "modes": seen["modes"], "cursor": cursor, "hidden": hidden}


def differences(first, second, path=""):
    """Where two nested values differ, one line each."""
    if isinstance(first, dict) and isinstance(second, dict):
        lines = []
        for key in sorted(set(first) | set(second), key=str):
            lines += differences(first.get(key), second.get(key), f"{path}/{key}")
        return lines
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [line for i, (a, b) in enumerate(zip(first, second)) for line in differences(a, b, f"{path}[{i}]")]
    return [] if first == second else [f"{path}: {first!r} != {second!r}"]
