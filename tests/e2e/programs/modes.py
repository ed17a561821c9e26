"""Changes everything a program can of a terminal, draws SET, then ! for each ?, and ends when an x comes.

argv[1]: alternate|main."""
import os
import sys
import tty

CHANGES = [
    "\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1004h\x1b[?1006h\x1b[?2004h",  # mouse, focus, paste
    "\x1b[>1u\x1b[>3u\x1b[>7u",                                          # kitty keyboard, three deep
    "\x1b[>4;2m",                                                        # modifyOtherKeys
    "\x1b]10;#112233\x07\x1b]11;#332211\x07\x1b]12;#ff00ff\x07\x1b]4;1;#00ff00\x07",
    "\x1b]2;the program's title\x07\x1b[22;0t\x1b]2;a second title\x07",
    "\x1b[5 q\x1b[?25l",                                                 # cursor shape, hidden
    "\x1b[?1h\x1b=\x1b[?2031h",                                          # cursor keys, keypad, colour scheme reports
    "\x1b[?6h\x1b[3;10r\x1b[?7l\x1b[4h\x1b[20h\x1b[?5h\x1b[?45h",        # origin, margins, wraps, insert, reverse
    "\x1b[3g\x1b[1;5H\x1bH",                                             # tab stops
    "\x1b[1;3;4;31;44m\x1b(0\x1b)0\x0e",                                 # pen, character sets
    "\x1b]8;id=x;http://example.test/\x1b\\",                            # an open link
    "\x1b7",                                                             # saved cursor
]
tty.setraw(0)
os.write(1, b"\x1b[?1049h" if sys.argv[1] == "alternate" else b"a line\r\n")
os.write(1, "".join(CHANGES).encode() + b"\x1b[4;1HSET")
while (key := os.read(0, 1)) != b"x":
    os.write(1, b"!" if key == b"?" else b"")
