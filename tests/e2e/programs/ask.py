"""Raw terminal: for each line of the file argv[1] (escapes as in Python) sends it as a query once a byte 1 came, and
appends what is answered, until the next 1, as one line of repr to the file argv[2]; what has been answered so far stands
in the file argv[2].now. Says READY first."""
import os
import sys
import tty

tty.setraw(0)
with open(sys.argv[1], encoding="utf-8") as file:
    queries = [line.rstrip("\n").encode().decode("unicode_escape").encode("latin-1") for line in file]
log = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.write(1, b"READY")
answer, asked = b"", 0
while data := os.read(0, 4096):
    for i in range(len(data)):
        if data[i:i + 1] != b"\x01":
            answer += data[i:i + 1]
            continue
        if asked:
            os.write(log, repr(answer).encode() + b"\n")
        answer = b""
        if asked < len(queries):
            os.write(1, queries[asked])
        asked += 1
    with open(sys.argv[2] + ".new", "wb") as file:
        file.write(b"%d " % asked + answer)
    os.rename(sys.argv[2] + ".new", sys.argv[2] + ".now")
