"""Raw terminal: writes the file argv[1] once a byte came (argv[2] = now: at once), then waits for ever."""
import os
import signal
import sys
import tty

tty.setraw(0)
with open(sys.argv[1], "rb") as file:
    data = file.read()
if sys.argv[2:] != ["now"]:
    os.write(1, b"READY")
    os.read(0, 1)
while data:
    data = data[os.write(1, data[:65536]):]
signal.pause()
