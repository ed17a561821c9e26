"""A client that does not read: nobody waits for it, and it comes back to the right screen."""

import os
import pathlib
import signal

from engine import canonical, picture
from harness import Case, main, program
from process import SANITIZED, eventually

MEGABYTES = 20 if SANITIZED else 200
# Bytes. The ring (8 MiB), one frame in flight a client, two checkpoints and the program of the holder itself.
HOLDER_BYTES_MAX = (200 if SANITIZED else 24) << 20


def private_and_memfd_bytes(pid):
    """Anonymous memory of a process and every page of the memfds it holds, each once."""
    total = 0
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            total += int(line.split()[1]) * 1024
    memfds = {}
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            if os.readlink(entry).startswith("/memfd:"):
                stat = entry.stat()
                memfds[stat.st_ino] = stat.st_blocks * 512
        except OSError:
            continue
    return total + sum(memfds.values())


class SlowClient(Case):
    def flood(self, name, first=""):
        """A session that will write MEGABYTES at the next key."""
        self.world.start(name, *program("flood.py", MEGABYTES, self.world.work(name), first))
        eventually(lambda: "READY" in self.world.read(name))
        return name

    def go(self, name):
        self.world.must("send", name, "g")

    def seconds(self, name, within=120):
        eventually(lambda: self.world.work(name).exists(), within, f"the end of {name}'s flood")
        return float(self.world.work(name).read_text())

    def with_stopped_client(self, name):
        self.flood(name)
        terminal = self.world.terminal("attach", name)
        terminal.wait_for("READY")
        terminal.kill(signal.SIGSTOP)
        terminal.wait_stopped(terminal.pid)
        return terminal

    def test_the_program_is_as_fast_and_the_holder_as_small_as_without_the_client(self):
        alone, slowed, memory = [], [], 0
        for n in range(2):
            self.go(self.flood(f"alone{n}"))
            alone.append(self.seconds(f"alone{n}"))
            terminal = self.with_stopped_client(f"slow{n}")
            holder = self.world.holder(f"slow{n}")
            self.go(f"slow{n}")
            while not self.world.work(f"slow{n}").exists():
                memory = max(memory, private_and_memfd_bytes(holder))
                self.world.pump(0.02)
            slowed.append(self.seconds(f"slow{n}"))
            terminal.kill(signal.SIGCONT)
            self.assert_right_screen(terminal, f"slow{n}")
            for session in (f"alone{n}", f"slow{n}"):
                self.world.must("kill", "--rm", session)
        ratio = min(slowed) / min(alone)
        print(f"{MEGABYTES} MB: alone {alone} s, with a stopped client {slowed} s, ratio {ratio:.2f}; "
              f"holder at most {memory >> 20} MiB")
        self.assertLess(ratio, 2.0)
        self.assertLess(memory, HOLDER_BYTES_MAX)

    def assert_right_screen(self, terminal, name):
        watcher = self.world.peer(name)
        watcher.attach(80, 24, observe=True)
        right = picture(canonical(watcher.drawn(), 80, 24))
        terminal.wait_for("the last screen")
        terminal.wait_for(lambda: terminal.picture() == right, what=f"the picture {right}")

    def test_ls_read_detach_and_kill_answer_within_a_second_meanwhile(self):
        terminal = self.with_stopped_client("slow")
        self.go("slow")
        within = 10 if SANITIZED else 1.0
        for command in (("ls",), ("info", "slow"), ("read", "slow"), ("detach", "slow"), ("kill", "slow")):
            done = self.world.must(*command)
            self.assertLess(done.seconds, within, command)
        self.assertEqual(self.world.life("slow"), "exited")
        terminal.kill(signal.SIGCONT)
        terminal.wait_exit()
        self.assertEqual(terminal.settings(), terminal.line_settings)

    def test_a_terminal_that_does_not_draw_is_a_slow_client_too(self):
        self.flood("slow")
        terminal = self.world.terminal("attach", "slow")
        terminal.wait_for("READY")
        terminal.paused = True
        self.go("slow")
        self.seconds("slow")
        terminal.paused = False
        self.assert_right_screen(terminal, "slow")
        terminal.type(b"\x1c")
        self.assertEqual(terminal.wait_exit(), 0)

    def test_a_slow_leader_does_not_slow_an_observer(self):
        self.with_stopped_client("slow")
        watcher = self.world.peer("slow")
        watcher.attach(80, 24, observe=True)
        self.go("slow")
        watcher.until(lambda: b"the last screen" in watcher.drawn(), 120)
        self.assertIn("the last screen", self.world.read("slow"))

    def test_a_stopped_client_is_counted_and_its_death_is_noticed(self):
        terminal = self.with_stopped_client("slow")
        self.assertEqual(self.world.info("slow")["clients"], 1)
        terminal.kill()
        eventually(lambda: self.world.info("slow")["clients"] == 0)


if __name__ == "__main__":
    main()
