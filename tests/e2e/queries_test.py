"""Who answers what a program asks its terminal: somebody, once, and never the wrong one."""

import ast
import re

from harness import Case, main, program
from process import eventually, send

NEXT = b"\x01"  # asks for the next query: no answer contains it
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
    # Images: asked as programs ask, with a query behind it that everybody answers.
    r"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c": rb"\x1b_Gi=31;OK\x1b\\\x1b\[\?[\d;]+c",
    r"\x1b]7501;?\x07": rb"\x1b\]7501;\?\x07",
    r"\x1b]7501;?\x1b\\\x1b[c": rb"\x1b\]7501;\?\x1b\\\x1b\[\?[\d;]+c",
}
# Nobody attached: titles are never told, the clipboard is not by policy. The status report behind them marks the end.
SILENT = (r"\x1b[21t\x1b[5n", r"\x1b]52;c;?\x07\x1b[5n")
QUERIES |= {query: rb"\x1b\[0n" for query in SILENT}
STATUS_QUERIES = {r"\x1b]7501;?\x07": b"\x1b]7501;?\x07", r"\x1b]7501;?\x1b\\\x1b[c": b"\x1b]7501;?\x1b\\"}


class Asker:
    """The program that asks (programs/ask.py), step by step."""

    def __init__(self, world, log):
        self.command = program("ask.py", world.work("queries"), log)
        self.log, self.so_far, self.asked = log, log.with_name(log.name + ".now"), 0

    def ask(self, press):
        """Makes it send the next query: `press` types NEXT."""
        press()
        self.asked += 1
        eventually(lambda: self.now()[0] == self.asked, what="the next query")

    def now(self):
        """How many queries were sent, and what has been answered to the last."""
        if not self.so_far.exists():
            return 0, b""
        number, answer = self.so_far.read_bytes().split(b" ", 1)
        return int(number), answer

    def answers(self):
        """All finished answers."""
        return [ast.literal_eval(line) for line in self.log.read_text().splitlines()]


class Queries(Case):
    def setUp(self):
        super().setUp()
        self.world.work("queries").write_text("\n".join(QUERIES) + "\n")
        self.asker = Asker(self.world, self.world.work("answers"))
        self.world.start("q", *self.asker.command)
        eventually(lambda: "READY" in self.world.read("q"))

    def matches(self, query):
        return re.fullmatch(QUERIES[query], self.asker.now()[1], re.S)

    def test_while_nobody_is_attached_the_shadow_terminal_answers(self):
        def press():
            self.world.must("send", "q", "--key", "ctrl-a")
        for query in QUERIES:
            with self.subTest(query):
                self.asker.ask(press)
                eventually(lambda query=query: self.matches(query), what=f"the answer to {query}")
        self.asker.ask(press)
        for query, answer in zip(QUERIES, self.asker.answers(), strict=True):
            self.assertIsNotNone(re.fullmatch(QUERIES[query], answer, re.S), f"{query}: once, and nothing after it")

    def test_attached_the_terminal_answers_and_nobody_else(self):
        terminal = self.world.terminal("attach", "q")
        terminal.wait_for("READY")
        other = Asker(self.world, self.world.work("alone"))
        alone = self.world.plain(*other.command)
        alone.wait_for("READY")
        for query in QUERIES:
            with self.subTest(query):
                self.asker.ask(lambda: terminal.type(NEXT))
                other.ask(lambda: alone.type(NEXT))
                if query in STATUS_QUERIES:  # it does not come from the terminal
                    terminal.wait_for(lambda query=query: self.asker.now()[1].startswith(STATUS_QUERIES[query]))
                    continue
                # In a session as alone. The shadow terminal would say something else of the person's terminal.
                terminal.wait_for(lambda: other.now()[1] and self.asker.now() == other.now(),
                                  what=f"the same answer: {self.asker.now()} and {other.now()}")
        self.asker.ask(lambda: terminal.type(NEXT))
        for query, answer, expected in zip(QUERIES, self.asker.answers(), other.answers()):
            if query not in STATUS_QUERIES:
                self.assertEqual(answer, expected, f"{query}: once, and nothing after it")

    def test_a_mute_terminal_leaves_every_query_but_7501_unanswered_and_never_sees_that_one(self):
        client = self.world.peer("q")
        client.attach()
        for query in QUERIES:
            self.asker.ask(lambda: client.type(NEXT))
            if query in STATUS_QUERIES:
                eventually(lambda query=query: self.asker.now()[1] == STATUS_QUERIES[query])
        self.asker.ask(lambda: client.type(NEXT))
        for query, answer in zip(QUERIES, self.asker.answers(), strict=True):
            self.assertEqual(answer, STATUS_QUERIES.get(query, b""), query)
        client.info()
        self.assertNotIn(b"7501;?", client.drawn())


    def test_a_holder_that_takes_over_answers_nothing_again(self):
        def press():
            self.world.must("send", "q", "--key", "ctrl-a")
        for query in list(QUERIES)[:4]:
            self.asker.ask(press)
            eventually(lambda query=query: self.matches(query), what=f"the answer to {query}")
        before, old = self.asker.now(), self.world.holder("q")
        send(old)
        eventually(lambda: self.world.hold("read", "q").code == 0 and self.world.holder("q") != old)
        # It has parsed all there was, and what it has to say goes before what is typed now.
        self.world.must("send", "q", "typed")
        eventually(lambda: self.asker.now()[1].endswith(b"typed"))
        self.assertEqual(self.asker.now(), (before[0], before[1] + b"typed"))
        query = list(QUERIES)[4]
        self.asker.ask(press)
        eventually(lambda: self.matches(query), what="what is asked from now on is answered")

    def test_a_client_that_dies_before_it_has_answered_leaves_the_query_to_the_shadow_terminal(self):
        client = self.world.peer("q")
        client.attach()
        for query in QUERIES:
            with self.subTest(query):
                self.asker.ask(lambda: client.type(NEXT))
                client.info()  # it has been sent all there is
                client.close()
                eventually(lambda query=query: self.matches(query), what=f"the answer to {query}")
                client = self.world.peer("q")
                client.attach()

    def test_a_client_that_takes_the_lead_does_not_answer_what_it_was_sent_as_an_observer(self):
        first, second = self.world.peer("q"), self.world.peer("q")
        first.attach()
        second.attach()
        self.asker.ask(lambda: first.type(NEXT))
        second.until(lambda: b"\x1b[c" in second.drawn())
        second.type("k")
        eventually(lambda: re.fullmatch(rb"k\x1b\[\?[\d;]+c", self.asker.now()[1]))
        second.type("\x1b[?62;99c")  # late: it drew the query when it led no more than now
        self.asker.ask(lambda: second.type(NEXT))
        second.type("\x1b[>7;8;9c")
        eventually(lambda: self.asker.now()[1] == b"\x1b[>7;8;9c")
        self.assertRegex(self.asker.answers()[0], rb"\Ak\x1b\[\?[\d;]+c\Z")
        self.assertNotIn(b"99c", self.asker.answers()[0])


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
