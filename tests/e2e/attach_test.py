"""Attach, leave, attach again: the screen is what the program would have drawn on that terminal alone."""

import shutil
import signal

from harness import Case, main, program
from process import eventually

DETACH = b"\x1c"
SIZES = {"the same size": (80, 24), "a larger size": (100, 30), "a smaller size": (60, 15)}


def edited(text):
    """vim has inserted the text and is back in its normal mode."""
    return lambda terminal: text in terminal.text() and "-- INSERT --" not in terminal.text()


class Programs(Case):
    """Everyday programs, each beside the same program alone on a terminal of the final size."""

    def setUp(self):
        super().setUp()
        text = "".join(f"line {n:04} of a text, with a needle here\n" if n % 37 == 0 else f"line {n:04} of a text\n"
                       for n in range(1, 400))
        self.world.work("text").write_text(text)
        self.world.work("vimrc").write_text(
            "set nocompatible ruler number laststatus=2 hlsearch mouse=a noswapfile\nsyntax on\nlet @/ = 'needle'\n")
        self.world.env |= {"LESSHISTFILE": "-", "PS1": "$ ", "HISTFILE": ""}

    def identity(self, name):
        """The environment that tells a program alone what one in a session is told."""
        term = self.world.manifest(name)["term"]["TERM"]
        return {"TERM": term, "COLORTERM": "truecolor", "TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.2.0"}

    def compare(self, argv, keys, shown, same=lambda t: t.picture(), leave=DETACH, more=()):
        """Types `keys` on first attach, leaves, and compares after each way back; `shown` has come when all is drawn.

        `same` takes from a terminal what must be equal. `more` is typed after the comparison, to compare again.
        """
        for what, (cols, rows) in SIZES.items():
            with self.subTest(what):
                name = self.world.start(f"s{cols}", *argv)
                first = self.world.terminal("attach", name)
                self.drive(first, keys)
                first.wait_for(lambda: shown(first))
                self.leave(first, leave)
                alone = self.world.plain(*argv, cols=cols, rows=rows, env=self.identity(name))
                self.drive(alone, keys)
                alone.wait_for(lambda: shown(alone))
                again = self.world.terminal("attach", name, cols=cols, rows=rows)
                self.settle(again, alone, same, what)
                if more:
                    again.type(more)
                    alone.type(more)
                    self.settle(again, alone, same, what + ", and more keys")
                again.kill()
                eventually(lambda: self.world.info(name)["clients"] == 0)

    def settle(self, attached, alone, same, what):
        try:
            attached.wait_for(lambda: same(attached) == same(alone), within=10)
        except AssertionError:
            self.assert_same(same(attached), same(alone), f"{what}: attached != alone\n{attached}\n{alone}")

    def drive(self, terminal, keys):
        for ready, data in keys:
            terminal.wait_for(ready)
            terminal.type(data)

    def leave(self, terminal, how):
        if how == signal.SIGKILL:
            terminal.kill()
            terminal.wait_exit()
        else:
            terminal.type(how)
            self.assertEqual(terminal.wait_exit(), 0, terminal)

    def test_vim_looks_as_if_it_had_been_started_here(self):
        argv = ["vim", "-u", "vimrc", "-i", "NONE", "text"]
        self.compare(argv, [("line 0010", "iINSERTED \x1b")], edited("INSERTED line 0001"), more="200Gzt")

    def test_less_looks_as_if_it_had_been_started_here(self):
        self.compare(["less", "+50g", "text"], [("line 0060", "jjj")], lambda t: "line 0053" in t.lines()[0], more="G")

    def test_bash_looks_as_if_it_had_been_started_here_history_included(self):
        argv = ["bash", "--norc", "--noprofile", "-i"]
        keys = [("$", "printf '\\033[31mred\\033[0m %s\\n' {1..60}\r"),
                ("red 60", "printf 'e\\314\\201 \\346\\274\\242 done\\n'\r"), ("漢 done", "echo half a "),
                ("half a", "line")]
        self.compare(argv, keys, lambda t: "half a line" in t.text(),
                     lambda t: (t.picture(), t.history()[-30:]))

    def test_htop_looks_as_if_it_had_been_started_here(self):
        def fixed_rows(terminal):
            """What of htop does not change with time: modes, the head of the table and the row of keys."""
            seen = terminal.canonical()
            heads = [row["c"] for row in seen["screen"] if "PID" in "".join(cell[1] for cell in row["c"])]
            return {"alt": seen["alt"], "modes": seen["modes"], "head": heads[:1], "keys": seen["screen"][-1]["c"],
                    "cursor visible": seen["cursor"]["visible"]}
        self.compare(["htop", "-d", "100"], [], lambda t: "F1Help" in t.text(), fixed_rows)

    def test_a_client_killed_by_sigkill_leaves_a_session_that_comes_back_the_same(self):
        argv = ["vim", "-u", "vimrc", "-i", "NONE", "text"]
        self.compare(argv, [("line 0010", "iNEW \x1b")], edited("NEW line 0001"), leave=signal.SIGKILL)


class FirstAttach(Case):
    def test_the_first_attach_replays_what_was_printed_before_it(self):
        self.world.work("out").write_bytes(
            b"".join(b"\x1b[3%dmrow %d\x1b[0m\r\n" % (n % 8, n) for n in range(60))
            + b"\x1b]2;a title\x07\x1b[?2004h\x1b[5;10H\x1b[7mhere\x1b[27m\x1b[3 q")
        argv = program("say.py", self.world.work("out"), "now")
        name = self.world.start("early", *argv)
        eventually(lambda: self.world.info(name)["offset"] >= self.world.work("out").stat().st_size)
        attached, alone = self.world.terminal("attach", name), self.world.plain(*argv)
        alone.wait_for("here")
        attached.wait_for("here")
        self.assert_same(attached.picture(), alone.picture(), "picture")
        state, other = attached.state(), alone.state()
        self.assertEqual(state["hidden"].pop("titleStack"), [""], "the person's title is kept below the program's")
        other["hidden"].pop("titleStack")
        self.assert_same(state, other, "modes, title, cursor shape")
        self.assertEqual(attached.history()[-len(alone.history()):], alone.history())

    def test_an_image_that_was_printed_while_nobody_was_attached_is_sent_and_placed(self):
        self.world.start("image", "sh", "-c",
                         r"printf '\033_Ga=T,i=5,f=24,s=1,v=1;AAEC\033\\shown'; exec sleep 1000")
        eventually(lambda: "shown" in self.world.read("image"))
        client = self.world.peer("image")
        client.attach()
        self.assertIn(b"\x1b_Gq=2,i=5,f=24,s=1,v=1;AAEC\x1b\\", client.drawn())
        self.assertIn(b"\x1b[H\x1b_Gq=2,a=p,C=1,i=5\x1b\\", client.drawn())

    def test_new_attaches_and_says_how_to_leave(self):
        terminal = self.world.terminal("new", "--name", "here", "--", "cat")
        terminal.wait_for(b"started here")
        terminal.type("echoed\r")
        terminal.wait_for("echoed")
        terminal.type(DETACH)
        self.assertEqual(terminal.wait_exit(), 0)
        self.assertIn("hold attach here", terminal.sentences(), "one line tells what still runs and how to come back")
        self.assertTrue([row for row in terminal.history() if "Ctrl-\\" in row], "above the screen stands how to leave")

    def test_a_poor_terminal_is_told_so(self):
        name = self.world.start("poor", "cat")
        terminal = self.world.terminal("attach", name, env={"TERM": "dumb"})
        terminal.wait_for(lambda: self.world.info(name)["clients"] == 1)
        terminal.wait_for(lambda: [row for row in terminal.history() if "TERM=dumb" in row])

    def test_half_a_sequence_sent_before_the_attach_is_completed_after_it(self):
        name = self.world.start("half", "sh", "-c",
                                "stty raw -echo; printf 'start \\033[3'; read x; printf '1mRED'; cat")
        eventually(lambda: self.world.info(name)["offset"] >= 9)
        terminal = self.world.terminal("attach", name)
        terminal.wait_for("start")
        terminal.type("\n")
        terminal.wait_for("RED")
        red = [c for row in terminal.canonical()["screen"] for c in row["c"] if c[1] == "R"]
        self.assertEqual(red[0][3], "p1", terminal)


class DetachKey(Case):
    """Ctrl-\\ in every way a terminal may say it."""

    def recording(self):
        name = self.world.start("k", *program("record.py", self.world.work("typed")))
        eventually(lambda: "READY" in self.world.read(name))
        return name

    def attached(self, *args):
        name = self.recording()
        terminal = self.world.terminal("attach", name, *args)
        terminal.wait_for("READY")
        return terminal

    def typed(self):
        return self.world.work("typed").read_bytes()

    def test_every_encoding_of_the_detach_key_detaches_and_reaches_nobody(self):
        name = self.recording()
        for key in (b"\x1c", b"\x1b[92;5u", b"\x1b[92;5:1u", b"\x1b[27;5;92~"):
            with self.subTest(key=key):
                terminal = self.world.terminal("attach", name)
                terminal.wait_for("READY")
                terminal.type(key)
                self.assertEqual(terminal.wait_exit(), 0, terminal)
        self.assertEqual(self.typed(), b"")
        self.assertEqual(self.world.life(name), "running")

    def test_the_detach_key_twice_sends_it_once(self):
        terminal = self.attached()
        terminal.type(b"\x1c\x1c")
        terminal.type(b"x")
        eventually(lambda: self.typed().endswith(b"x"))
        self.assertEqual(self.typed(), b"\x1cx")
        self.assertEqual(terminal.process.poll(), None)

    def test_inside_a_bracketed_paste_the_detach_key_is_text(self):
        terminal = self.attached()
        terminal.type(b"\x1b[200~a\x1cb\x1b[201~")
        eventually(lambda: self.typed().endswith(b"\x1b[201~"))
        self.assertEqual(self.typed(), b"\x1b[200~a\x1cb\x1b[201~")

    def test_typed_before_the_session_is_reached_it_detaches_as_soon_as_it_is(self):
        name = self.recording()
        for call in (["attach", name], ["new", "--name", "fresh", "--", "cat"]):
            with self.subTest(call):
                with self.world.halted_settings():
                    terminal = self.world.terminal(*call)
                    terminal.wait_for(terminal.is_taken)
                    terminal.type(b"\x1c")
                self.assertEqual(terminal.wait_exit(), 0, terminal)
                self.assertIn("it still runs", terminal.sentences())
                self.assertEqual(terminal.settings(), terminal.line_settings)
        self.assertEqual(self.typed(), b"")

    def test_other_keys_typed_before_the_session_is_reached_are_the_programs(self):
        name = self.recording()
        keys = b"one\r\x03\x04\x15\x7f\x1a\x16 two"  # what a line discipline would act on
        with self.world.halted_settings():
            terminal = self.world.terminal("attach", name)
            terminal.wait_for(terminal.is_taken)
            terminal.type(keys)
        terminal.wait_for(lambda: self.typed() == keys)

    def test_without_a_detach_key_it_is_a_key_like_others(self):
        terminal = self.attached("--detach-key", "none")
        terminal.type(b"\x1c")
        eventually(lambda: self.typed() == b"\x1c")
        self.assertEqual(terminal.process.poll(), None)


class ConfiguredKey(Case):
    config = '[attach]\ndetach-key = "ctrl-x"\n'

    def test_the_configured_key_detaches_and_the_default_one_does_not(self):
        name = self.world.start("k", *program("record.py", self.world.work("typed")))
        terminal = self.world.terminal("attach", name)
        terminal.wait_for("READY")
        terminal.type(b"\x1c")
        eventually(lambda: self.world.work("typed").read_bytes() == b"\x1c")
        terminal.type(b"\x18")
        self.assertEqual(terminal.wait_exit(), 0)


class Clusters(Case):
    """Mode 2027: the shadow terminal joins the code points of a cluster exactly where the person's terminal does."""

    FAMILY = "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
    ASKED, FENCE = b"\x1b[?2027$p", b"\x1b[5n"

    def setUp(self):
        super().setUp()
        self.world.work("family").write_text(self.FAMILY)
        self.argv = program("say.py", self.world.work("family"))

    def columns(self, name, press):
        """How far the cursor goes in the shadow terminal when the program draws the family."""
        eventually(lambda: "READY" in self.world.read(name))
        before = self.cursor(name)
        press()
        eventually(lambda: self.FAMILY in self.world.read(name))
        return self.cursor(name) - before

    def cursor(self, name):
        return self.world.must("read", name, "--json").json()["screen"]["cursor"]["x"]

    def wait_restored(self, terminal):
        terminal.wait_for(lambda: terminal.fresh.rfind(self.FENCE) > terminal.fresh.find(self.ASKED) > 0)

    def told(self, answer, term="xterm-256color"):
        """A session whose last client's terminal gave this answer."""
        name = self.world.start("c" + str(len(self.world.terminals)), *self.argv)
        terminal = self.world.terminal("attach", name, env={"TERM": term}, answers=False)
        self.wait_restored(terminal)
        terminal.type(answer + b"\x1c")
        self.assertEqual(terminal.wait_exit(), 0, terminal)
        return name

    def test_the_answer_of_the_terminal_decides_and_its_name_where_it_gives_none(self):
        for what, answer, term, columns in (
                ("set", b"\x1b[?2027;1$y", "tmux-256color", 2), ("always", b"\x1b[?2027;3$y", "tmux-256color", 2),
                ("reset, and the session began elsewhere", b"\x1b[?2027;2$y", "tmux-256color", 2),
                ("never", b"\x1b[?2027;4$y", "xterm-256color", 6), ("unknown", b"\x1b[?2027;0$y", "tmux-256color", 6),
                ("unknown", b"\x1b[?2027;0$y", "xterm-256color", 2), ("none", b"", "tmux-256color", 6),
                ("none", b"", "xterm-256color", 2)):
            with self.subTest(what, term=term):
                name = self.told(answer, term)
                self.assertEqual(self.columns(name, lambda name=name: self.world.must("send", name, "g")), columns)

    def test_the_answer_is_nobodys_input_and_keys_around_it_pass(self):
        name = self.world.start("k", *program("record.py", self.world.work("typed")))
        eventually(lambda: "READY" in self.world.read(name))
        terminal = self.world.terminal("attach", name, answers=False)
        self.wait_restored(terminal)
        # Behind the answer to the fence: one to a question of the program.
        terminal.type(b"a\x1b[?2027;1$yb\x1b[0n\x1b[?2027;1$yc")
        terminal.wait_for(lambda: self.world.work("typed").read_bytes().endswith(b"c"))
        self.assertEqual(self.world.work("typed").read_bytes(), b"ab\x1b[?2027;1$yc")

    def test_where_the_mode_is_off_a_session_begins_with_it_off_and_its_terminal_is_told_so(self):
        terminal = self.world.terminal("new", "--name", "born", "--", *self.argv, before=b"\x1b[?2027l")
        terminal.wait_for("READY")
        terminal.wait_for(lambda: terminal.fresh.count(self.FENCE) >= 2, what="the picture with the mode as it is")
        self.assertEqual(terminal.mode(2027), False)
        self.assertEqual(self.columns("born", lambda: terminal.type("g")), 6)
        terminal.wait_for(lambda: terminal.canonical()["cursor"]["x"] == len("READY") + 6)
        terminal.type(DETACH)
        terminal.wait_exit()
        self.assertEqual(terminal.mode(2027), False)
        other = self.world.terminal("attach", "born")
        other.wait_for(lambda: self.FENCE in other.fresh)
        self.assertEqual(other.mode(2027), False, "a session keeps what it began with")
        other.type(DETACH)
        other.wait_exit()
        self.assertEqual(other.mode(2027), True, "and every terminal gets its own back")

    def test_where_the_mode_can_be_set_it_is_for_a_session_that_has_it_on(self):
        name = self.world.start("on", *self.argv)
        terminal = self.world.terminal("attach", name, before=b"\x1b[?2027l")
        terminal.wait_for(lambda: self.FENCE in terminal.fresh)
        self.assertEqual(terminal.mode(2027), True)
        self.assertEqual(self.columns(name, lambda: terminal.type("g")), 2)
        terminal.type(DETACH)
        terminal.wait_exit()
        self.assertEqual(terminal.mode(2027), False)


class WhichSession(Case):
    def test_attach_without_a_name_takes_the_only_detached_session(self):
        self.world.start("only", "sh", "-c", "echo I am the one; cat")
        terminal = self.world.terminal("attach")
        terminal.wait_for("I am the one")
        self.assertEqual(self.world.info("only")["clients"], 1)

    def test_attach_without_a_name_shows_the_roster_when_there_are_several(self):
        for name in ("one", "two"):
            self.world.start(name, "cat")
        terminal = self.world.terminal("attach")
        code = terminal.wait_exit()
        self.assertNotEqual(code, 0)
        for name in ("one", "two"):
            self.assertIn(name, terminal.text())
            self.assertEqual(self.world.info(name)["clients"], 0)

    def test_attach_to_an_unknown_name_starts_nothing(self):
        terminal = self.world.terminal("attach", "nobody")
        self.assertEqual(terminal.wait_exit(), 3)
        self.assertEqual(self.world.sessions(), [])

    def test_attach_to_the_session_one_is_in_is_refused(self):
        name = self.world.start("inner", "bash", "--norc", "--noprofile", "-i")
        terminal = self.world.terminal("attach", name)
        terminal.wait_for("bash")
        terminal.type(f"{self.world.binary} attach {name}; echo code=$?\r")
        terminal.wait_for("code=6")
        terminal.type(f"clear; {self.world.binary} attach; echo again=$?\r")
        terminal.wait_for("again=6")
        self.assertIn("the only session is the one you are in", terminal.sentences())
        terminal.type(f"clear; {self.world.binary} ls; echo listed=$?\r")
        terminal.wait_for("listed=0")
        self.assertIn("running (this one)", terminal.text())
        self.assertNotIn("this one", self.world.must("ls").text)
        self.assertEqual(self.world.info(name)["clients"], 1)


if __name__ == "__main__":
    for needed in ("vim", "less", "htop", "bash"):
        if not shutil.which(needed):
            raise SystemExit(f"this proof needs {needed}: apt-get install {needed}")
    main()
