"""Writes argv[1] megabytes of dense lines once a byte came, then notes the seconds it took in the file argv[2], draws a
last screen and waits for ever. argv[3]: bytes to write first, with escapes as in Python."""
import os
import signal
import sys
import time
import tty

tty.setraw(0)
line = b"".join(b"%c" % (33 + i % 90) for i in range(78)) + b"\r\n"
block = (line * 1024)[:65520]
os.write(1, b"READY")
os.read(0, 1)
os.write(1, sys.argv[3].encode().decode("unicode_escape").encode("latin-1") if sys.argv[3:] else b"")
started = time.monotonic()
left = int(sys.argv[1]) * 1_000_000
while left > 0:
    left -= os.write(1, block[:left])
seconds = time.monotonic() - started
os.write(1, b"\r\n\x1b[2J\x1b[3;5H\x1b[1;35mthe last screen\x1b[0m\x1b[10;20H")
with open(sys.argv[2] + ".new", "w", encoding="utf-8") as file:
    file.write(f"{seconds}")
os.rename(sys.argv[2] + ".new", sys.argv[2])
while True:
    signal.pause()
