"""Who answers what a program asks its terminal: somebody, once, and never the wrong one."""

import ast
import re

from harness import Case, main, program
from process import eventually

# A query, and what an answer looks like.
QUERIES = {
    r"\x1b[c": rb"\x1b\[\?[\d;]+c",
    r"\x1b[>c": rb"\x1b\[>[\d;]+c",
    r"\x1b[=c": rb"\x1bP!\|[0-9A-F]+\x1b\\",
    r"\x1b[5n": rb"\x1b\[0n",
    r"\x1b[3;7H\x1b[6n": rb"\x1b\[3;7R",
    r"\x1b[>q": rb"\x1bP>\|.+\x1b\\",
    r"\x1b[?2004$p": rb"\x1b\[\?2004;2\$y",
    r"\x1b[1m\x1bP$qm\x1b\\": rb"\x1bP1\$r.*1.*m\x1b\\",
    r"\x1bP+q544e\x1b\\": rb"\x1bP1\+r544[eE]=[0-9a-fA-F]+\x1b\\",
    r"\x1b[?u": rb"\x1b\[\?0u",
    r"\x1b]4;1;?\x1b\\": rb"\x1b\]4;1;rgb:.+",
    r"\x1b]10;?\x07": rb"\x1b\]10;rgb:.+\x07",
    r"\x1b]11;?\x1b\\": rb"\x1b\]11;rgb:.+\x1b\\",
    r"\x1b]12;?\x1b\\": rb"\x1b\]12;rgb:.+\x1b\\",
    r"\x1b[18t": rb"\x1b\[8;24;80t",
    r"\x1b[?996n": rb"\x1b\[\?997;[12]n",
    r"\x1b]7501;?\x07": rb"\x1b\]7501;\?\x07",
    r"\x1b]7501;?\x1b\\\x1b[c": rb"\x1b\]7501;\?\x1b\\\x1b\[\?[\d;]+c",
}
SILENT = {r"\x1b[21t", r"\x1b]52;c;?\x07"}  # nobody attached: titles never, the clipboard by policy


class Queries(Case):
    def setUp(self):
        super().setUp()
        self.asked = [*QUERIES, *sorted(SILENT)]
        self.world.work("queries").write_text("\n".join(self.asked) + "\n")
        self.log = self.world.work("answers")
        self.world.start("q", *program("ask.py", self.world.work("queries"), self.log))
        eventually(lambda: "READY" in self.world.read("q"))

    def answers(self):
        return [ast.literal_eval(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def assert_answers(self, answers):
        for query, answer in zip(self.asked, answers, strict=True):
            with self.subTest(query):
                if query in SILENT:
                    self.assertEqual(answer, b"")
                else:
                    self.assertIsNotNone(re.fullmatch(QUERIES[query], answer, re.S), answer)

    def test_while_nobody_is_attached_the_shadow_terminal_answers(self):
        for n in range(len(self.asked) + 1):
            self.world.must("send", "q", "g")
            self.world.read("q")  # in order with the output: the answer has been given
            eventually(lambda n=n: len(self.answers()) == n)
        self.assert_answers(self.answers())

    def test_attached_the_terminal_answers_and_nobody_else(self):
        terminal = self.world.terminal("attach", "q")
        terminal.wait_for("READY")
        alone_log = self.world.work("alone")
        alone = self.world.plain(*program("ask.py", self.world.work("queries"), alone_log))
        alone.wait_for("READY")
        for n in range(len(self.asked) + 1):
            for term, log in ((terminal, self.log), (alone, alone_log)):
                seen = len(term.received)
                term.type("g")
                term.wait_for(lambda log=log, n=n: log.exists() and len(log.read_text().splitlines()) == n or n == 0)
                if n < len(self.asked) and "7501" not in self.asked[n]:
                    term.wait_for(lambda term=term, seen=seen: len(term.received) > seen)
        told_alone = [ast.literal_eval(line) for line in alone_log.read_text().splitlines()]
        for query, mine, alone_answer in zip(self.asked, self.answers(), told_alone, strict=True):
            if "7501" not in query:
                with self.subTest(query):
                    self.assertEqual(mine, alone_answer, "in a session as alone")

    def test_a_mute_terminal_leaves_every_query_but_7501_unanswered(self):
        client = self.world.peer("q")
        client.attach()
        for n in range(len(self.asked) + 1):
            client.type("g")
            eventually(lambda n=n: len(self.answers()) == n)
        for query, answer in zip(self.asked, self.answers(), strict=True):
            with self.subTest(query):
                self.assertEqual(answer, b"\x1b]7501;?\x07" if query.endswith(r"?\x07") and "7501" in query
                                 else b"\x1b]7501;?\x1b\\" if "7501" in query else b"")

    def test_the_7501_query_never_reaches_the_terminal(self):
        client = self.world.peer("q")
        client.attach()
        for n in range(len(self.asked) + 1):
            client.type("g")
            eventually(lambda n=n: len(self.answers()) == n)
        client.info()
        self.assertNotIn(b"7501;?", client.drawn())


class Loops(Case):
    def test_a_terminal_that_echoes_answers_does_not_answer_itself_for_ever(self):
        self.world.start("echo", "sh", "-c", "stty -echoctl; printf '\\033]7501;?\\007'; exec sleep 1000")
        client = self.world.peer("echo")
        client.attach(observe=True)
        first = client.info()["offset"]
        # The bucket is 8 at once and one a second: what comes in three seconds stays small.
        try:
            client.until(lambda: client.output_to > first + 4000, within=3)
            self.fail("the loop runs")
        except AssertionError as e:
            if "the loop runs" in str(e):
                raise
        self.assertLess(client.info()["offset"], 4000)


if __name__ == "__main__":
    main()
