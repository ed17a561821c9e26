"""Raw terminal under load: one byte `g` gives leave for one more block of about a mebibyte, `q` ends with a last line.

Blocks are seeded (argv[2]) text with colours, wide characters and moves; every 16 KiB stands a query that names itself:
DECRQM of a mode whose number is the query's own. All written bytes go to the file argv[1], all read bytes but the
leaves to argv[1].answers, so that a test can compare.
"""
import os
import random
import select
import sys
import tty

PIECE, PIECES = 16384, 64
tty.setraw(0)
dice = random.Random(int(sys.argv[2]))
copy = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
answers = os.open(sys.argv[1] + ".answers", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
WORDS = [
    "plain words of a log line ", "\x1b[31mred\x1b[0m ", "\x1b[38;2;1;200;30mgreen\x1b[m ", "漢字 ", "👍🏽 ",
    "e\u0301a\u0308 ", "\r\n", "\x1b[2K", "\x1b[5;10H", "\t",
    "\x1b[7mreverse\x1b[27m ", "\x1b]8;;http://a/b\x1b\\link\x1b]8;;\x1b\\ ",
]
POOL = ["".join(dice.choices(WORDS, k=2000)).encode()[:PIECE - 64] for _ in range(8)]
POOL = [p.decode("utf-8", "ignore").encode() for p in POOL]


def write(data):
    os.write(copy, data)
    while data:
        data = data[os.write(1, data):]


def read(wait):
    """Takes in leaves and answers; gives how many leaves came and whether to end."""
    if not wait and not select.select([0], [], [], 0)[0]:
        return 0, False
    data = os.read(0, 65536)
    rest = data.replace(b"g", b"")
    os.write(answers, rest.replace(b"q", b""))
    return len(data) - len(rest), b"q" in rest


write(b"READY\r\n")
asked, credit, ending = 0, 0, False
while True:
    more, end = read(wait=credit == 0 and not ending)
    credit, ending = credit + more, ending or end
    if credit:
        for _ in range(PIECES):
            asked += 1
            write(b"%s\x1b[0m\x1b[?%d$p" % (dice.choice(POOL), 10000 + asked))
            more, end = read(wait=False)
            credit, ending = credit + more, ending or end
        credit -= 1
    elif ending:
        write(b"\r\nLAST LINE asked=%d" % asked)
        ending = False
