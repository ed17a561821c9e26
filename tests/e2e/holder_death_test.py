"""A holder is killed: the program lives, a new holder serves the name within a second, and says what was lost."""

import signal
import time

from harness import Case, main, program
from process import SANITIZED, alive, children, eventually, send

WITHIN = 10 if SANITIZED else 1.0


class HolderDeath(Case):
    def kill_holder(self, name):
        """Kills it and gives the seconds until `hold info` was answered by another."""
        old = self.world.holder(name)
        send(old)
        started = time.monotonic()
        eventually(lambda: (self.world.hold("info", name, "--json").code == 0
                            and self.world.holder(name) != old), WITHIN, "a new holder that answers")
        return time.monotonic() - started

    def shell(self):
        self.world.start("s", "sh", "-c", "echo before the crash; while read x; do echo got $x; done; exit 3")
        eventually(lambda: "before" in self.world.read("s"))
        return self.world.info("s")["pid"]

    def test_the_program_lives_and_a_new_holder_serves_it_and_says_what_was_lost(self):
        pid = self.shell()
        offset = self.world.info("s")["offset"]
        self.kill_holder("s")
        info = self.world.info("s")
        self.assertEqual((info["pid"], info["life"]), (pid, "running"))
        self.assertTrue(alive(pid))
        self.assertEqual(info["offset"], offset, "offsets go on")
        self.assertIn("rebuilt", info["marks"])
        self.assertIn("holder died", info["reason"])
        self.world.must("send", "s", "--stdin", stdin=b"hello\n")
        eventually(lambda: "got hello" in self.world.read("s"))
        self.assertIn("before the crash", self.world.read("s"), "the ring outlives the holder")

    def test_an_attached_client_says_so_and_gives_the_terminal_back(self):
        self.shell()
        terminal = self.world.terminal("attach", "s")
        terminal.wait_for("before")
        before_state = terminal.line_settings
        self.kill_holder("s")
        self.assertNotEqual(terminal.wait_exit(), 0)
        self.assertEqual(terminal.settings(), before_state)
        self.assertIn("hold attach s", terminal.sentences(), "how to come back")
        again = self.world.terminal("attach", "s")
        again.wait_for("before the crash")

    def test_under_load_no_byte_the_program_writes_afterwards_is_lost(self):
        copy = self.world.work("written")
        self.world.start("load", *program("load.py", copy, 1))
        eventually(lambda: "READY" in self.world.read("load"))
        self.world.must("send", "load", "gggg")
        eventually(lambda: copy.exists() and copy.stat().st_size > 1 << 20)
        self.kill_holder("load")
        client = self.world.peer("load")
        client.attach()
        start = client.output_to
        self.world.must("send", "load", "gq")
        client.until(lambda: b"LAST LINE" in client.output)
        self.assertTrue(copy.read_bytes().endswith(bytes(client.output)))
        self.assertGreater(client.output_to, start)

    def test_again_and_again(self):
        pid = self.shell()
        for _ in range(5):
            self.kill_holder("s")
        self.assertEqual(self.world.info("s")["pid"], pid)
        self.world.must("send", "s", "--stdin", stdin=b"hello\n")
        eventually(lambda: "got hello" in self.world.read("s"))

    def test_the_exit_code_survives_a_holder_that_died_with_the_program(self):
        pid = self.shell()
        send(self.world.holder("s"))
        send(pid, signal.SIGTERM)
        eventually(lambda: self.world.hold("info", "s").code == 0 and self.world.life("s") == "exited")
        self.assertEqual(self.world.info("s")["exit_signal"], signal.SIGTERM)

    def test_after_the_end_the_session_is_still_there_when_its_holder_dies(self):
        self.shell()
        self.world.must("kill", "s")
        self.kill_holder("s")
        info = self.world.info("s")
        self.assertEqual(info["life"], "exited")
        self.assertIn("before the crash", self.world.read("s"))
        self.world.must("rm", "s")

    def test_without_a_keeper_the_session_goes_on(self):
        pid = self.shell()
        holder = self.world.holder("s")
        send(self.world.keeper("s"))
        self.world.must("send", "s", "--stdin", stdin=b"hello\n")
        eventually(lambda: "got hello" in self.world.read("s"))
        self.assertTrue(alive(pid) and alive(holder))
        send(pid)
        eventually(lambda: self.world.life("s") == "exited")
        self.assertEqual(children(holder), [c for c in children(holder) if c != pid])
        self.assertEqual(self.world.info("s")["reason"], "its exit code is not known because the keeper was gone")
        self.assertEqual(self.world.must("kill", "s").text,
                         "s had ended already: its exit code is not known because the keeper was gone\n")

    def test_keeper_and_holder_both_killed_is_a_lost_session_that_rm_clears(self):
        pid = self.shell()
        keeper, holder = self.world.keeper("s"), self.world.holder("s")
        send(keeper)
        send(holder)
        eventually(lambda: not alive(pid), what="the hang-up of the program")
        (session,) = self.world.sessions()
        self.assertEqual(session["life"], "lost")
        told = self.world.must("info", "s").text
        self.assertIn("nothing of it runs any more", told)
        self.assertNotIn("0 bytes", told, "nobody knows how many there were")
        self.assertNotIn("pid", told)
        self.assert_refused(self.world.hold("send", "s", "x"), 5, "lost")
        self.world.must("rm", "s")
        self.assertEqual(self.world.sessions(), [])


if __name__ == "__main__":
    main()
