"""Runs vttest without a person, on the terminal that this program itself runs on.

    vttest_drive.py OUT.bin OUT.idx ITEM...

An ITEM is a number of vttest's menu, or several joined by dots, typed one after the other into the menus that come; then
0 until the main menu is back. `%@` and `%G` are no items: they turn UTF-8 of the terminal off and on. Everything waits for what
vttest prints, nothing for a time: RETURN is pressed when it asks for it, and the next number typed when a menu stands
there. What the terminal answers goes to vttest as it comes. OUT.bin gets every byte that vttest printed, OUT.idx a line
for each screen that asked for RETURN: the item, and the offset of the byte behind its prompt.
"""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import tty

MENU = re.compile(rb"Enter choice number \([^)]*\): $")
MAIN_MENU = re.compile(rb"Enter choice number \(0 - 12\): $")
PUSH = re.compile(rb"Push <RETURN>[^\r\n\x1b]*(?:\x1b[^\r\n]*)?$")
# The longest that either may take, in bytes, from the end of the output.
PROMPT_BYTES = 200
# vttest and the terminal answer at once; who is silent for so long, in seconds, hangs.
PATIENCE_SECONDS = 60


class Run:
    def __init__(self, rows, cols):
        self.printed = bytearray()
        self.at = 0  # how much of it has been answered
        self.marks = []
        pid, self.master = pty.fork()
        if pid == 0:
            os.execvp("vttest", ["vttest", "-q", "24x80.132"])
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def wait(self):
        """What vttest wants next: "menu", "push", or "end"."""
        while True:
            new = bytes(self.printed[self.at:][-PROMPT_BYTES:])
            for kind, prompt in (("menu", MENU), ("push", PUSH)):
                if prompt.search(new):
                    self.at = len(self.printed)
                    return kind
            ready, _, _ = select.select([self.master, 0], [], [], PATIENCE_SECONDS)
            if not ready:
                sys.exit(f"vttest asks for nothing known: {new!r}")
            if 0 in ready:
                os.write(self.master, os.read(0, 4096))
            if self.master in ready and not self.pump():
                return "end"

    def pump(self):
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.show(data)
        return bool(data)

    def show(self, data):
        os.write(1, data)
        self.printed += data

    def type(self, text):
        os.write(self.master, text.encode() + b"\r")

    def to_menu(self, item):
        """Through the screens, each of which is noted, to the next menu."""
        while (kind := self.wait()) == "push":
            self.marks.append((item, len(self.printed)))
            self.type("")
        return kind == "menu"


def main():
    out, index, items = sys.argv[1], sys.argv[2], sys.argv[3:]
    tty.setraw(0)
    run = Run(24, 80)
    run.to_menu("start")
    for item in items:
        if item.startswith("%"):
            run.show(b"\x1b" + item.encode())
            continue
        for step in item.split("."):
            run.type(step)
            run.to_menu(item)
        while not MAIN_MENU.search(run.printed[-PROMPT_BYTES:]):
            run.type("0")
            if not run.to_menu(item):
                sys.exit(f"vttest ended in {item}")
        # Menu 3.9 leaves G1 shifted in, with which the headings of the next screens would be unreadable.
        run.show(b"\x0f")
    run.type("0")
    run.to_menu("end")
    with open(out, "wb") as file:
        file.write(run.printed)
    with open(index, "w") as file:
        file.writelines(f"{item} {offset}\n" for item, offset in run.marks)


if __name__ == "__main__":
    main()
