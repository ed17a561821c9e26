"""After the session has left it, the person's terminal is as it was before, mode by mode."""

import os
import signal
import termios

from harness import Case, main, program
from process import SANITIZED, children, eventually, send

# What the person's shell may have set before: a title and the kitty keyboard.
BEFORE = b"\x1b]2;my shell\x07\x1b[>1uprompt\r\n"


# All whose default is the end of a process, but those that cannot be caught and those that are ignored.
SENT = [signal.Signals[name] for name in (
    "SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU",
    "SIGXFSZ", "SIGIO", "SIGPWR", "SIGSTKFLT")]
FAULTS = [signal.Signals[name] for name in ("SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS")]


class Leaving(Case):
    def attached(self, screen="alternate", before=BEFORE, name="m"):
        self.world.start(name, *program("modes.py", screen))
        terminal = self.world.terminal("attach", name, before=before)
        self.was = terminal.state()
        terminal.wait_for("SET")
        # Behind the terminal's answers: when this has come through, the client has dealt with them.
        terminal.type("?")
        terminal.wait_for("SET!")
        self.assertNotEqual(terminal.state(), self.was, "the program's modes reach the terminal")
        return terminal

    def assert_as_before(self, terminal, but=()):
        was, now = self.was, terminal.state()
        for state in (was, now):
            # Of the keyboard flags those in force count: how deep a stack was below them, no terminal tells.
            state["hidden"]["kitty"] = state["hidden"]["kitty"][-1]
            for fact in but:
                state["hidden"].pop(fact)
        self.assert_same(was, now, "the terminal before != after")
        self.assertEqual(terminal.settings(), terminal.line_settings, "line settings")
        seen = terminal.canonical()
        self.assertEqual(seen["cursor"]["x"], 0, "the cursor stands on a fresh line")
        self.assertNotIn(b"\x1bc", terminal.fresh, "never a full reset: it wipes the person's scrollback")

    def test_the_detach_key(self):
        for screen in ("alternate", "main"):
            with self.subTest(screen):
                terminal = self.attached(screen, name=screen)
                terminal.type(b"\x1c")
                self.assertEqual(terminal.wait_exit(), 0)
                self.assert_as_before(terminal)
                self.assertEqual(self.world.life(screen), "running")

    def test_a_terminal_on_which_nothing_was_set_before(self):
        terminal = self.attached(before=b"")
        terminal.type(b"\x1c")
        terminal.wait_exit()
        self.assert_as_before(terminal)

    def test_every_signal_that_somebody_may_send_the_client(self):
        for number in (*SENT, signal.SIGRTMIN, signal.SIGRTMAX):
            with self.subTest(number.name):
                terminal = self.attached(name=number.name.lower())
                terminal.kill(number)
                self.assertEqual(terminal.wait_exit(), 1, terminal)
                self.assertIn(f"detached from {number.name.lower()}", terminal.sentences())
                self.assert_as_before(terminal)
                self.assertEqual(self.world.life(number.name.lower()), "running")

    def test_a_fault_of_the_client_itself_resets_the_terminal_as_well_as_it_can(self):
        for number in FAULTS:
            with self.subTest(number.name):
                terminal = self.attached(name=number.name.lower())
                terminal.kill(number)
                code = terminal.wait_exit()
                self.assertTrue(code == -number or SANITIZED and code, terminal)  # a sanitizer ends it in its own way
                self.assert_as_before(terminal, but=("title", "titleStack"))
                self.assertEqual(self.world.life(number.name.lower()), "running")

    def test_a_signal_before_the_client_is_attached_puts_the_line_settings_back(self):
        self.world.start("m", "cat")
        with self.world.halted_settings():
            for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGSEGV):
                with self.subTest(number.name):
                    terminal = self.world.terminal("attach", "m")
                    terminal.wait_for(terminal.is_taken)
                    terminal.kill(number)
                    terminal.wait_exit()
                    self.assertEqual(terminal.settings(), terminal.line_settings)

    def test_the_end_of_the_session(self):
        terminal = self.attached()
        terminal.type("x")  # the program ends and has reset nothing
        terminal.wait_exit()
        self.assert_as_before(terminal)
        self.assertIn("m has ended", terminal.sentences(), "one line says why")
        self.assertEqual(self.world.info("m")["exit_code"], 0)

    def test_the_kill_of_the_session(self):
        terminal = self.attached()
        self.world.must("kill", "m")
        terminal.wait_exit()
        self.assert_as_before(terminal)

    def test_a_detach_from_elsewhere(self):
        terminal = self.attached()
        self.world.must("detach", "m")
        terminal.wait_exit()
        self.assert_as_before(terminal)
        self.assertEqual(self.world.life("m"), "running")

    def test_the_death_of_the_holder_resets_the_terminal_as_well_as_the_client_can(self):
        terminal = self.attached()
        send(self.world.holder("m"))
        terminal.wait_exit()
        # How many titles the program had put on the stack, only the holder knew.
        self.assert_as_before(terminal, but=("title", "titleStack"))

    def test_a_mute_terminal_costs_nothing_but_a_moment(self):
        self.world.start("m", *program("modes.py", "alternate"))
        terminal = self.world.terminal("attach", "m", before=BEFORE, answers=False)
        self.was = terminal.state()
        terminal.wait_for("SET")
        terminal.type(b"\x1c")
        self.assertEqual(terminal.wait_exit(within=5), 0)
        self.assertEqual(terminal.settings(), terminal.line_settings)
        self.assertEqual(terminal.state()["modes"], self.was["modes"])

    def test_a_window_that_closes_leaves_the_session_running(self):
        terminal = self.attached()
        terminal.hang_up()
        terminal.wait_exit()
        eventually(lambda: self.world.info("m")["clients"] == 0)
        self.assertEqual(self.world.life("m"), "running")

    def test_late_answers_of_the_terminal_do_not_reach_the_shell(self):
        """The terminal answers a query after the detach key was typed: nothing of it is left in the line."""
        self.world.start("m", "sh", "-c", "stty raw -echo; printf SET; while read x; do :; done; cat")
        terminal = self.world.terminal("attach", "m", answers=False)
        terminal.wait_for("SET")
        terminal.type(b"\x1c\x1b[?62;22c\x1b[0n")
        terminal.wait_exit()
        settings = terminal.settings()
        settings[3] &= ~termios.ICANON
        settings[6][termios.VMIN], settings[6][termios.VTIME] = 0, 0
        termios.tcsetattr(terminal.slave, termios.TCSANOW, settings)
        self.assertEqual(os.read(terminal.slave, 100), b"")


class JobControl(Case):
    def test_a_stopped_client_gives_the_terminal_back_and_takes_it_again_when_continued(self):
        self.world.start("m", *program("modes.py", "alternate"))
        shell = self.world.plain("bash", "--norc", "--noprofile", "-i", env={"PS1": "outer$ "})
        shell.wait_for("outer$")
        before = shell.state()
        shell.type(f"{self.world.binary} attach m\r")
        shell.wait_for("SET")
        (client,) = children(shell.pid)
        send(client, signal.SIGTSTP)
        shell.wait_for("Stopped")
        self.assert_same(before, shell.state(), "before the attach != while stopped")
        shell.type("fg\r")
        shell.wait_for(lambda: "SET" in shell.text() and shell.canonical()["alt"])
        shell.type(b"\x1c")
        shell.wait_for(lambda: shell.text().rstrip().endswith("outer$") and not shell.canonical()["alt"])
        self.assert_same(before, shell.state(), "before the attach != after")


if __name__ == "__main__":
    main()
