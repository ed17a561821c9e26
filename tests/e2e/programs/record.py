"""Raw terminal: says READY, then appends every byte it is given to the file argv[1]. Never writes again."""
import os
import sys
import tty

tty.setraw(0)
record = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.write(1, b"READY")
while data := os.read(0, 65536):
    os.write(record, data)
