"""Whatever a program prints: the session lives, its memory is bounded, and the screen is right."""

import random
import sys

from engine import canonical, picture
from harness import Case, main, program, seed
from process import SANITIZED, eventually, memory_bytes

VTD_BYTES_MAX = (400 if SANITIZED else 96) << 20


class HostileOutput(Case):
    def said(self, data, name="h", size=(80, 24)):
        """A session whose program has written exactly `data`, drained by VTD."""
        path = self.world.work(name)
        path.write_bytes(data)
        self.world.start(name, *program("say.py", path, "now"), size=size)
        eventually(lambda: self.world.info(name)["offset"] >= len(data), 60)
        self.world.read(name)
        return name

    def drawn(self, name, cols, rows):
        client = self.world.peer(name)
        client.attach(cols, rows)
        seen = canonical(client.drawn(), cols, rows)
        client.close()
        return seen

    def assert_drawn(self, name, data, cols=80, rows=24, started=None):
        expected = canonical(data, *(started or (cols, rows)),
                             [(len(data), cols, rows)] if started and started != (cols, rows) else [])
        self.assert_same(picture(self.drawn(name, cols, rows)), picture(expected), name)
        self.assertEqual(self.world.life(name), "running")

    def test_malformed_strings(self):
        strings = [b"\x1b]133;A;barekey\x07", b"\x1b]133;A;=\x07", b"\x1b]133;\x07", b"\x1b]8;;\x07", b"\x1b]8;id\x07",
                   b"\x1b]8;id=;\x07", b"\x1b]52;;\x07", b"\x1b]52;c;%%%\x07", b"\x1b]52\x07",
                   b"\x1b]7;file\x07", b"\x1b]7;\xff\xfe\x00\x07", b"\x1b]4;\x07", b"\x1b]4;999;?\x07",
                   b"\x1b]7501;\x07", b"\x1b]7501\x07", b"\x1b]7501;state=\x07", b"\x1b];\x07", b"\x1b]\x07",
                   b"\x1b]99999999999999999999;x\x07", b"\x1bP\x1b\\", b"\x1bP$q\x1b\\",
                   b"\x1b_G\x1b\\", b"\x1b[" + b"1;" * 5000 + b"m", b"\x1b[99999999999999999999H",
                   b"\x1b[?99999999999$p", b"\x1b]0;" + b"t" * 2000000 + b"\x07", b"\x1bP" + b"q" * 200000 + b"\x1b\\"]
        data = b"".join(strings) + b"\x1b[2J\x1b[H\x1b[0mafter all that"
        self.assert_drawn(self.said(data), data)

    def test_seeded_garbage(self):
        dice = random.Random(seed())
        pieces = [b"\x1b", b"[", b"]", b"P", b";", b"?", b"133;A", b"7501;?", b"\x07", b"\x1b\\", b"h", b"l", b"m",
                  b"999", b"\x9b", "é漢👨‍👩‍👧".encode(), b"\r\n", b"x", b"8;;u", b"1049", b"2026", b"$p", b"\x18"]
        data = b"".join(dice.choice(pieces) for _ in range(60000)) + b"\x18\x1b\\\x1b[!p\x1b[?1049l\x1b[2J\x1b[Hend"
        self.assert_drawn(self.said(data), data)

    def test_a_synchronised_update_without_end_is_bounded_and_drains(self):
        megabytes = 20 if SANITIZED else 200
        self.world.start("sync", *program("flood.py", megabytes, self.world.work("done"), "\\x1b[?2026h"))
        vtd = self.world.vtd("sync")
        eventually(lambda: "READY" in self.world.read("sync"))
        self.world.must("send", "sync", "g")
        most = 0
        while not self.world.work("done").exists():
            most = max(most, memory_bytes(vtd))
            self.world.pump(0.02)
        eventually(lambda: "the last screen" in self.world.read("sync"))
        self.assertEqual(self.world.vtd("sync"), vtd)
        self.assertLess(max(most, memory_bytes(vtd)), VTD_BYTES_MAX)

    def test_links_in_history_survive_halved_columns(self):
        data = b"".join(b"\x1b]8;;http://example.test/%d\x1b\\%s\x1b]8;;\x1b\\\r\n" % (n, b"link text " * 18)
                        for n in range(2000))
        name = self.said(data, size=(200, 50))
        self.assert_drawn(name, data, 100, 50, started=(200, 50))

    def test_clusters_at_the_last_column_are_restored(self):
        clusters = ["e\u0301", "👩‍👩‍👧‍👦", "\u0915\u094d\u0937", "🇩🇪", "👍🏽", "漢", "ﷺ", "a" + "\u0300" * 40]
        data = b"".join(f"\x1b[{row};{column}H{c}".encode() for column in (79, 80)
                        for row, c in enumerate(clusters, start=1 if column == 80 else 12))
        self.assert_drawn(self.said(data), data)

    def test_fewer_rows_than_the_cursor_stands_below(self):
        data = b"".join(b"%d " % n + b"wrapped " * 20 + b"\r\n" for n in range(5000)) + b"\x1b[50;7Hhere"
        name = self.said(data, size=(80, 60))
        self.assert_drawn(name, data, 80, 10, started=(80, 60))

    def test_few_bytes_that_paint_a_large_screen_keep_nobody_waiting(self):
        name = self.world.start("paint", sys.executable, "-c",
                                "import os\nwhile True: os.write(1, b'\\x1b#8' * 20000)", size=(250, 70))
        eventually(lambda: self.world.info(name)["offset"] > 1 << 16)
        for _ in range(3):
            self.assertIn("EEE", self.world.must("read", name).text)
        self.world.must("kill", "--rm", name)

    def test_a_storm_of_sizes(self):
        data = b"".join(b"%d " % n + b"wrapped \xe6\xbc\xa2 " * 12 + b"\r\n" for n in range(3000))
        name = self.said(data)
        terminal = self.world.terminal("attach", name)
        terminal.wait_for("2999")
        dice = random.Random(seed())
        for _ in range(60):
            terminal.resize(dice.randint(10, 200), dice.randint(2, 70))
            self.world.pump(0)
        terminal.resize(80, 24)
        eventually(lambda: (self.world.info(name)["cols"], self.world.info(name)["rows"]) == (80, 24))
        self.assertIn("2999", self.world.read(name))
        self.assertEqual(self.world.life(name), "running")

    def test_titles_ten_thousand_a_second_write_no_disk_full(self):
        data = b"".join(b"\x1b]2;title %d\x07" % n for n in range(50000)) + b"done"
        name = self.said(data)
        eventually(lambda: self.world.info(name)["title"] == "title 49999")
        size = sum(p.stat().st_size for p in (self.world.root / "state").rglob("*") if p.is_file())
        self.assertLess(size, 1 << 20)


if __name__ == "__main__":
    main()
