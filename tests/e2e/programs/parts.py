"""Raw terminal: writes the next part of the file argv[1] once a byte 1 came; the parts end at the offsets argv[3:]. What else
comes, it appends to the file argv[2]. Says READY first."""
import os
import sys
import tty

tty.setraw(0)
with open(sys.argv[1], "rb") as file:
    data = file.read()
ends = [int(word) for word in sys.argv[3:]]
log = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.write(1, b"READY\r\n")
at = 0
while got := os.read(0, 4096):
    os.write(log, got.replace(b"\x01", b""))
    for _ in range(got.count(b"\x01")):
        part, at = data[at:ends[0]], ends.pop(0)
        while part:
            part = part[os.write(1, part):]
