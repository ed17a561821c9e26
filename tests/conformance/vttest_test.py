"""vttest's screens, menus 1, 2, 3 and 8, as the engine draws them.

vttest runs on a terminal whose other side is the engine, which answers its questions; at every "Push <RETURN>" the screen
is compared with its golden in vttest/. A golden is the engine's own screen, which somebody has looked at and found to be
what the screen itself says it should be. After a change that is right: `python3 -B tests/conformance/vttest_test.py
--bless`, and look at every difference.
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
GOLDENS = HERE / "vttest"
HOLD = os.environ.get("HOLD", str(HERE.parents[1] / "build/release/hold"))
# 3.3 turns national sets on; 4 and 5 choose G0 and G1, of which 9 shows both. 3.10 maps sets to the right, which takes bytes
# that are no UTF-8.
NATIONAL = [f"3.3.4.{g0}.5.{g0 + 1}.9" for g0 in range(3, 17, 2)]
ITEMS = ["1", "2", "3.8", "3.9", "%@", "3.10", "%G", "3.11", *NATIONAL, "8"]
RUN_SECONDS = 600
COLS, ROWS, SCROLLBACK = 80, 24, 0
ENGINE = [HOLD, "debug", "vt", "--profile", "xterm"]


def drive(scratch):
    """What vttest printed, and [(item, offset)] of its screens."""
    printed, index = scratch / "printed", scratch / "index"
    command = [*ENGINE, "--host", "--", sys.executable, "-BSI", str(HERE / "vttest_drive.py"), str(printed), str(index),
               *ITEMS]
    environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, env=environment, timeout=RUN_SECONDS, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise AssertionError(f"vttest could not be driven to its end (exit code {done.returncode})")
    marks = [line.split() for line in index.read_text().splitlines()]
    return printed.read_bytes(), [(item, int(offset)) for item, offset in marks]


def pictures(printed, marks):
    """The canonical object at each mark."""
    frame = struct.pack("<HHI", COLS, ROWS, SCROLLBACK)
    at = 0
    for _, offset in marks:
        frame += struct.pack("<BI", 0, offset - at) + printed[at:offset] + struct.pack("<BI", 2, 0)
        at = offset
    done = subprocess.run([*ENGINE, "--resizable", "--stream"], input=struct.pack("<I", len(frame)) + frame, timeout=RUN_SECONDS,
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)[:len(marks)]


def style_of(cell):
    """The looks of a cell of the canonical object, in words; "" for plain ones."""
    fg, bg, letters, underline = ([*cell[3:], "", "", "", 0][i] if len(cell) > 3 + i else ("", "", "", 0)[i] for i in range(4))
    words = [{"B": "bold", "F": "faint", "I": "italic", "U": f"underline {underline}", "K": "blink", "R": "inverse",
              "H": "hidden", "S": "strike", "O": "overline"}[letter] for letter in letters]
    return " ".join([*words, *([f"on {bg}"] if bg else []), *([f"in {fg}"] if fg else [])])


def drawn(picture):
    """A canonical object as a page to look at: the rows, under each that has some a line of marks, one letter a style."""
    styles, lines = {}, []
    for row in picture["screen"]:
        text, marks = [" "] * picture["cols"], [" "] * picture["cols"]
        for cell in row["c"]:
            text[cell[0]] = cell[1]
            if style := style_of(cell):
                marks[cell[0]] = styles.setdefault(style, chr(ord("a") + len(styles)))
        lines.append(f"|{''.join(text)}|")
        if "".join(marks).strip():
            lines.append(f" {''.join(marks)}".rstrip())
    modes = " ".join(mode for mode in ("?3", "?5", "?6", "?7", "?69", "4", "20") if picture["modes"].get(mode))
    cursor = picture["cursor"]
    head = f"{picture['cols']}x{picture['rows']}, cursor {cursor['x'] + 1};{cursor['y'] + 1}, modes on: {modes}"
    return "\n".join([head, *lines, *(f"{letter} = {style}" for style, letter in styles.items())]) + "\n"


def screens():
    """{name: page} of all screens, in order."""
    with tempfile.TemporaryDirectory() as scratch:
        printed, marks = drive(pathlib.Path(scratch))
    pages, counts = {}, {}
    for (item, _), picture in zip(marks, pictures(printed, marks)):
        counts[item] = counts.get(item, 0) + 1
        pages[f"{item}-{counts[item]:02}.txt"] = drawn(picture)
    return pages


class VttestScreens(unittest.TestCase):
    maxDiff = None

    def test_every_screen_is_as_it_was_when_somebody_looked(self):
        pages = screens()
        self.assertEqual(sorted(pages), sorted(path.name for path in GOLDENS.iterdir()))
        for name, page in pages.items():
            with self.subTest(screen=name):
                self.assertEqual(page, (GOLDENS / name).read_text())


def bless():
    shutil.rmtree(GOLDENS, ignore_errors=True)
    GOLDENS.mkdir()
    for name, page in screens().items():
        (GOLDENS / name).write_text(page)


if __name__ == "__main__":
    if "--bless" in sys.argv:
        bless()
    else:
        unittest.main()
