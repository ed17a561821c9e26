"""Lines of a session are found by what they say, on the screen and in its history."""

from harness import Case, main, program
from process import eventually

LINES = [f"{n:05d} step {n % 7} of the build" for n in range(5000)]
LONG = "the long one: " + "x" * 150 + " needle " + "y" * 60


class Search(Case):
    def start(self, text):
        file = self.world.work("text")
        file.write_text(text)
        self.world.start("s", *program("say.py", file, "now"))
        eventually(lambda: self.world.info("s")["offset"] == len(text.encode()))

    def test_lines_of_screen_and_history_are_found_with_the_row_that_read_counts(self):
        self.start("\r\n".join([*LINES, LONG, "last", "", ""]))
        found = self.world.must("search", "s", "step 3.*build|needle|^last").text.splitlines()
        wanted = [line for line in [*LINES, LONG, "last"] if "step 3" in line or "needle" in line or line == "last"]
        self.assertEqual([line.split(":", 1)[1] for line in found], wanted[-1000:])
        for line in (found[0], found[500], found[-2], found[-1]):
            row, text = line.split(":", 1)
            self.assertEqual(self.world.read("s", "--rows", row, "--unwrap").splitlines()[0], text)

    def test_words_that_a_wrapped_row_tears_apart_are_found(self):
        self.start("a" * 78 + "torn apart")
        done = self.world.must("search", "s", "torn", "--json").json()
        (match,) = done["matches"]
        self.assertEqual((match["row"], match["rows"], match["spans"]), (2, 2, [[78, 82]]))
        self.assertEqual((done["schema"], done["name"], done["found"]), (1, "s", 1))

    def test_case_counts_and_limits(self):
        self.start("Error one\r\nerror two\r\nERROR three\r\nfine")
        self.assertEqual(self.world.must("search", "s", "error").text, "3:error two\n")
        self.assertEqual(self.world.must("search", "s", "error", "-i", "--count").text, "3\n")
        self.assertEqual(self.world.must("search", "s", "error", "-ic", "--json").json()["found"], 3)
        some = self.world.must("search", "s", "error", "-i", "--limit", "2")
        self.assertEqual(some.text, "3:error two\n2:ERROR three\n")
        self.assertIn("the newest 2 of 3 lines", some.complaint)

    def test_nothing_found_is_1_and_says_nothing_and_what_is_wrong_has_its_own_code(self):
        self.start("text")
        for words in ((), ("--json",), ("--count",)):
            done = self.world.hold("search", "s", "nothing", *words)
            self.assertEqual((done.code, done.err), (1, b""), done)
        self.assertEqual(self.world.hold("search", "s", "nothing", "--json").json()["matches"], [])
        self.assertEqual(self.world.hold("search", "s", "nothing", "--count").out, b"0\n")
        self.assert_refused(self.world.hold("search", "s", "(open"), 2, "regular expression", "(open")
        self.assert_refused(self.world.hold("search", "t", "text"), 3, "s")
        self.assert_refused(self.world.hold("search", "s"), 2, "REGEX")

    def test_on_a_terminal_matches_are_coloured(self):
        self.start("one two")
        terminal = self.world.terminal("search", "s", "two")
        self.assertEqual(terminal.wait_exit(), 0)
        self.assertIn(b"\x1b[32m1\x1b[0m:one \x1b[31mtwo\x1b[0m", bytes(terminal.received))

    def test_on_the_alternate_screen_only_that_is_searched_and_an_ended_session_is_searched_too(self):
        self.start("on the first\r\n\x1b[?1049hon the second")
        self.assertEqual(self.world.must("search", "s", "on the").text, "1:on the second\n")
        self.world.must("kill", "s")
        self.assertEqual(self.world.must("search", "s", "second").text, "1:on the second\n")


if __name__ == "__main__":
    main()
