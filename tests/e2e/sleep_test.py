"""A quiet session lets its shadow terminal go and gives memory back; nobody can tell afterwards."""

import os
import random

from harness import Case, main, program, seed
from process import argv, children, eventually, send

NEXT = b"\x01"
RING_FD = 6  # of a holder
# Modes, both screens, margins, a half-received sequence, a link, and questions.
HISTORY = b"".join(b"line %d of what was there before\r\n" % i for i in range(3000))
STATE = ("\x1b]2;the title\x07\x1b]7;file:///somewhere\x07\x1b[31mred\x1b[?2004h\x1b[?1000;1006h\x1b[>1u\x1b[2;20r"
         "\x1b]8;;https://example.org\x07link\x1b]8;;\x07 中文 \x1b[6n\x1b[?1049h\x1b[5;5Hon the other screen\x1b[c"
         "\x1b]4;1;#123456\x07\x1b7\x1b(0q\x1b[6n\x1b[?1049l\x1b[0mback\x1b[3b\x1b[5n").encode()


class Sleep(Case):
    def start_with(self, name, sleep_after, data, ends):
        (self.world.root / "config/holdfast/config.toml").write_text(f"[terminal]\nsleep-after-seconds = {sleep_after}\n")
        file = self.world.work("data")
        file.write_bytes(data)
        self.world.start(name, *program("parts.py", file, self.world.work(name), *ends))
        eventually(lambda: "READY" in self.world.read(name))

    def next_part(self, name, offset):
        self.world.must("send", name, "--key", "ctrl-a")
        eventually(lambda: self.world.info(name)["offset"] == offset, what=f"{offset} bytes of {name}")

    def vtds(self, name):
        return [pid for pid in children(self.world.holder(name)) if argv(pid)[:1] == ["hold-vtd"]]

    def fall_asleep(self, name):
        eventually(lambda: not self.vtds(name), what="the shadow terminal goes")

    def ring_bytes(self, name):
        return os.stat(f"/proc/{self.world.holder(name)}/fd/{RING_FD}").st_blocks * 512

    def restore(self, name):
        client = self.world.peer(name)
        client.attach()
        drawn = client.drawn()
        client.close()
        eventually(lambda: self.world.info(name)["clients"] == 0)
        return drawn

    def everything(self, name):
        reads = [self.world.read(name, "--all", "--format", form) for form in ("plain", "vt", "html")]
        return [*reads, self.world.must("read", name, "--json").json()["screen"]]

    def test_a_session_that_sleeps_again_and_again_is_as_one_that_stays_awake(self):
        dice = random.Random(seed())
        data = HISTORY + STATE
        ends = sorted({*dice.sample(range(len(HISTORY), len(data)), 4), len(data)})
        self.start_with("awake", 0, data, ends)
        self.start_with("sleeper", 1, data, ends)
        ready = self.world.info("awake")["offset"]
        for end in ends:
            self.fall_asleep("sleeper")
            for name in ("awake", "sleeper"):
                self.next_part(name, ready + end)
            self.fall_asleep("sleeper")
            self.assert_same(self.everything("sleeper"), self.everything("awake"), f"what is read at {end}")
            self.fall_asleep("sleeper")
            self.assertEqual(self.restore("sleeper"), self.restore("awake"), f"the restore at {end}")
        for name in ("awake", "sleeper"):
            eventually(lambda name=name: self.world.work(name).read_bytes().endswith(b"\x1b[0n"), what="the last answer")
        self.assertEqual(self.world.work("sleeper").read_bytes(), self.world.work("awake").read_bytes(), "the answers")
        self.assertEqual(len(self.vtds("awake")), 1)
        sleeper, awake = (self.world.info(name) for name in ("sleeper", "awake"))
        self.assertEqual(sleeper["marks"], [])
        self.assertEqual((sleeper["title"], sleeper["working_directory"]), (awake["title"], awake["working_directory"]))

    def test_its_memory_is_given_back_and_what_it_knew_is_not_lost(self):
        data = HISTORY * 200  # about 20 MB
        self.start_with("s", 1, data, [len(data), len(data)])
        offset = self.world.info("s")["offset"] + len(data)
        self.next_part("s", offset)
        eventually(lambda: self.ring_bytes("s") > 4 << 20 or not self.vtds("s"))
        self.fall_asleep("s")
        eventually(lambda: self.ring_bytes("s") <= 80 << 10, what="the ring's memory is given back")
        self.assertEqual(self.world.read("s", "--all").count("\n"), 10_024)
        self.fall_asleep("s")
        self.world.must("send", "s", "typed")  # no output: nothing wakes
        self.assertEqual(self.vtds("s"), [])

    def test_a_holder_that_dies_while_its_session_sleeps_leaves_the_checkpoint_to_the_next(self):
        data = HISTORY + STATE
        self.start_with("s", 1, data, [len(data)])
        self.next_part("s", self.world.info("s")["offset"] + len(data))
        before = self.everything("s")
        self.fall_asleep("s")
        for _ in range(2):
            old = self.world.holder("s")
            send(old)
            eventually(lambda: self.world.hold("info", "s").code == 0 and self.world.holder("s") != old)
            self.assert_same(self.everything("s"), before, "what is read")
            info = self.world.info("s")
            self.assertEqual(info["title"], "the title")
            self.assertIn("checkpoint", info["reason"])
            self.fall_asleep("s")

    def test_one_that_is_attached_never_sleeps_and_goes_to_sleep_after_the_detach(self):
        self.start_with("s", 1, b"more", [4])
        terminal = self.world.terminal("attach", "s")
        terminal.wait_for("READY")
        vtd = self.world.vtd("s")
        self.assertEqual(self.vtds("s"), [vtd])
        terminal.type(b"\x1c")
        self.assertEqual(terminal.wait_exit(), 0)
        self.fall_asleep("s")
        terminal = self.world.terminal("attach", "s")
        terminal.wait_for("READY")
        terminal.type(NEXT)
        terminal.wait_for("more")


if __name__ == "__main__":
    main()
