"""Bytes: none lost, none changed, none twice, and nobody who does not read stops anybody else."""

import concurrent.futures
import random

import peer as wire
from harness import Case, main, program, seed
from process import SANITIZED, eventually

RUNS = 100 if SANITIZED else 500
WORKERS = 4
MEBIBYTE = 1 << 20


def mebibyte():
    """1 MiB of rows of 128 bytes with \\r\\n (as a terminal prints \\n), each with its own number."""
    rows = [b"%07d " % n + b"." * 118 + b"\r\n" for n in range(MEBIBYTE // 128)]
    return b"".join(rows)


class FastExit(Case):
    """A program that writes 1 MiB and exits at once."""

    config = "[terminal]\nhistory-rows = 20000\n"

    def setUp(self):
        super().setUp()
        self.expected = mebibyte()
        self.world.work("data").write_bytes(self.expected.replace(b"\r\n", b"\n"))

    def all_of(self, run):
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            failures = [f for f in pool.map(run, range(RUNS)) if f]
        self.assertEqual(failures, [], f"{len(failures)} of {RUNS}")

    def attached_run(self, number):
        name = f"a{number}"
        self.world.start(name, "sh", "-c", "stty -echo; echo ready; read go; cat data; exit 7", size=(132, 24))
        client = wire.Peer(self.world.socket_of(name))
        try:
            client.attach(132, 24)
            client.until(lambda: client.output_to >= len("ready\r\n"))
            client.output.clear()
            client.type("\n")
            client.until(lambda: client.event("exited"))
            end = client.event("exited")
        finally:
            client.close()
        self.world.must("rm", name)
        if bytes(client.output) != self.expected:
            return f"run {number}: {len(client.output)} bytes, ends {bytes(client.output[-40:])!r}"
        if (end["code"], end["end"]) != (7, client.output_to) or wire.OUTPUT in client.order[-1:]:
            return f"run {number}: exit {end} after offset {client.output_to}"
        return None

    def detached_run(self, number):
        name = f"d{number}"
        self.world.start(name, "sh", "-c", "cat data; exit 9", size=(132, 24))
        eventually(lambda: self.world.life(name) == "exited")
        info = self.world.info(name)
        text = self.world.must("read", name, "--all").out
        self.world.must("rm", name)
        if (info["exit_code"], info["offset"]) != (9, MEBIBYTE):
            return f"run {number}: {info}"
        if text.rstrip(b"\n") != self.expected.replace(b"\r\n", b"\n").rstrip(b"\n"):
            return f"run {number}: read gave {len(text)} bytes, ends {text[-60:]!r}"
        return None

    def test_attached_no_byte_is_lost_and_the_exit_code_comes_after_the_last_one(self):
        self.all_of(self.attached_run)

    def test_detached_no_byte_is_lost(self):
        self.all_of(self.detached_run)

    def test_a_hundred_thousand_short_lines(self):
        self.world.start("seq", "sh", "-c", "stty -echo; echo ready; read go; seq 1 100000")
        client = self.world.peer("seq")
        client.attach()
        client.until(lambda: client.output_to >= len("ready\r\n"))  # what is typed is not echoed from here on
        client.output.clear()
        client.type("\n")
        client.until(lambda: client.event("exited"))
        self.assertEqual(bytes(client.output), b"".join(b"%d\r\n" % n for n in range(1, 100001)))


class Transparency(Case):
    """All 256 byte values, in order, backwards and in a seeded heap."""

    def setUp(self):
        super().setUp()
        ordered = bytes(range(256))
        self.data = ordered + ordered[::-1] + random.Random(seed()).randbytes(32768)

    def test_what_is_typed_reaches_the_program_unchanged(self):
        typed = self.world.work("typed")
        self.world.start("in", *program("record.py", typed))
        terminal = self.world.terminal("attach", "in", "--detach-key", "none")
        terminal.wait_for("READY")
        terminal.type(self.data)
        terminal.type(b"END")
        terminal.wait_for(lambda: typed.read_bytes().endswith(b"END"))
        self.assertEqual(typed.read_bytes(), self.data + b"END")

    def test_what_the_program_writes_reaches_the_terminal_unchanged(self):
        self.world.work("data").write_bytes(self.data + b"END")
        self.world.start("out", *program("say.py", self.world.work("data")))
        terminal = self.world.terminal("attach", "out", answers=False)
        terminal.wait_for("READY")
        terminal.type("g")
        terminal.wait_for(b"END")
        self.assertIn(self.data, bytes(terminal.received))

    def test_only_two_rewrites_are_made(self):
        said = (b"\x1b]133;A\x07$ \x1b]133;B\x07 \x1b]133;A;k=s\x1b\\ \x1b]133;A;redraw=1\x07 \x1b]7501;state=idle\x07"
                b"a\x1b]7501;?\x07b\x1b]7501;?\x1b\\c \x1bP ]133;A\x07 \x1b\\ \x1b]52;c;aGk=\x07END")
        drawn = (b"\x1b]133;A;redraw=0\x07$ \x1b]133;B\x07 \x1b]133;A;redraw=0;k=s\x1b\\ "
                 b"\x1b]133;A;redraw=0;redraw=1;redraw=0\x07 \x1b]7501;state=idle\x07"
                 b"abc \x1bP ]133;A\x07 \x1b\\ \x1b]52;c;aGk=\x07END")
        self.world.work("data").write_bytes(said)
        self.world.start("out", *program("say.py", self.world.work("data")))
        client = self.world.peer("out")
        client.attach()
        client.until(lambda: b"READY" in client.drawn())
        before = client.output_to
        client.output.clear()
        client.type("g")
        client.until(lambda: client.output.endswith(b"END"))
        self.assertEqual(bytes(client.output), drawn)
        self.assertEqual(client.output_to - before, len(said), "offsets count raw bytes")


class Deaf(Case):
    """A program that prints and never reads."""

    def test_a_paste_of_a_mebibyte_stops_neither_output_nor_kill(self):
        self.world.start("deaf", *program("tick.py"))
        self.world.start("other", "cat")
        client = self.world.peer("deaf")
        client.attach()
        for _ in range(16):
            client.type(b"p" * 65536)
        self.goes_on(client)
        self.kill_works()

    def test_a_paste_without_end_stops_only_the_typist(self):
        self.world.start("deaf", *program("tick.py"))
        self.world.start("other", "cat")
        client, watcher = self.world.peer("deaf"), self.world.peer("deaf")
        client.attach()
        watcher.attach(observe=True)
        client.socket.setblocking(False)
        piece, sent = wire.frame(wire.INPUT, bytes(8) + b"p" * 65536), 0
        try:
            while sent < 64 * MEBIBYTE:
                sent += client.socket.send(piece[sent % len(piece):])
        except BlockingIOError:
            pass
        self.assertLess(sent, 64 * MEBIBYTE, "what waits is bounded")
        self.goes_on(watcher)
        self.goes_on(client)
        self.kill_works()

    def goes_on(self, client):
        seen = client.output_to
        client.until(lambda: client.output_to > seen + 500)

    def kill_works(self):
        self.world.must("send", "other", "hello")
        eventually(lambda: "hello" in self.world.read("other"))
        self.world.must("kill", "deaf", "--grace", 300)  # without waiting for it
        self.assertEqual(self.world.life("deaf"), "exited")


if __name__ == "__main__":
    main()
