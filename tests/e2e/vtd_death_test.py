"""VTD is killed at seeded moments under load: the program, the clients and the next attach notice nothing."""

import random
import re
import signal

import peer as wire
from engine import canonical, outer_state, picture, row_text
from harness import Case, main, program, seed
from process import SANITIZED, eventually, send

MOMENTS = 15 if SANITIZED else 50
BLOCK = 1 << 20  # bytes of one block of the load, or a little less


class VtdDeath(Case):
    def setUp(self):
        super().setUp()
        self.seed = seed()
        self.dice = random.Random(self.seed)
        self.copy = self.world.work("written")
        self.world.start("load", *program("load.py", self.copy, self.seed))
        eventually(lambda: "READY" in self.world.read("load"))
        self.driver = self.world.peer("load")  # automation: it grants blocks and never leads

    def next_victim(self, last):
        """Another VTD than the one killed last, which may take a moment to be gone."""
        return eventually(lambda: (pid := self.world.vtd("load")) != last and pid)

    def kill_at_moments(self, client, moments):
        """One block of load a moment, and a kill at a seeded offset within it."""
        victim = 0
        for granted in range(moments):
            victim = self.next_victim(victim)
            # Never further behind than this client's backlog allows: here it has to see every byte.
            client.until(lambda granted=granted: granted * BLOCK - client.output_to < BLOCK * 5 // 4)
            self.driver.type("g")
            at = client.output_to + self.dice.randrange(BLOCK * 8 // 10)
            client.until(lambda: client.output_to >= at)
            send(victim)

    def finish(self, client):
        self.driver.type("q")
        client.until(lambda: b"LAST LINE asked=" in client.output)
        self.asked = int(client.output.rsplit(b"asked=", 1)[1])
        return self.copy.read_bytes()

    def answers(self):
        read = self.world.work("written.answers").read_bytes()
        return [int(n) - 10000 for n in re.findall(rb"\x1b\[\?(\d+);\d\$y", read)]

    def assert_next_attach_is_exact(self, written):
        """A client that comes now gets what the program's bytes alone would have drawn."""
        expected = canonical(written, 80, 24)
        again = self.world.peer("load")
        again.attach()
        rebuilt = [s for s in again.snapshots if s[2] & wire.REBUILT]
        self.assertEqual(rebuilt, [], "checkpoint and unbroken ring prove it exact")
        seen = canonical(again.drawn(), 80, 24)
        self.assert_same(picture(seen), picture(expected), "picture")
        state, right = outer_state(seen), outer_state(expected)
        self.assertEqual(state["hidden"].pop("titleStack"), ["", *right["hidden"].pop("titleStack")])
        self.assert_same(state, right, "state")
        self.assertEqual([row_text(r) for r in seen["scrollback"]], [row_text(r) for r in expected["scrollback"]])

    def test_with_an_observer_every_query_is_answered_exactly_once(self):
        client = self.world.peer("load")
        client.attach(observe=True)
        client.until(lambda: b"READY" in client.drawn())
        start = client.output_to
        client.output.clear()
        self.kill_at_moments(client, MOMENTS)
        written = self.finish(client)
        self.assertEqual(client.event("resync"), None, "nothing was left out")
        self.assertEqual(client.output_from, client.output_to - len(client.output))
        self.assertEqual(written[start:], bytes(client.output), "what the client got is what the program wrote")
        eventually(lambda: len(self.answers()) >= self.asked, what="an answer to every query")
        self.assertEqual(self.answers(), list(range(1, self.asked + 1)), "each once, in order")
        self.assert_next_attach_is_exact(written)

    def test_with_a_leader_the_shadow_answers_nothing(self):
        client = self.world.peer("load")
        self.assertEqual(client.attach()["role"], "leader")
        client.until(lambda: b"READY" in client.drawn())
        start = client.output_to
        client.output.clear()
        self.kill_at_moments(client, MOMENTS // 5)
        written = self.finish(client)
        self.assertEqual(written[start:], bytes(client.output))
        self.assertEqual(self.answers(), [], "they are the leader's to answer")
        self.assert_next_attach_is_exact(written)

    def test_with_nobody_attached(self):
        self.driver.type("gg")
        victim = 0
        for _ in range(5):
            victim = self.next_victim(victim)
            offset = self.driver.info()["offset"]
            self.driver.type("g")
            eventually(lambda: self.driver.info()["offset"] > offset)
            send(victim)
        self.driver.type("q")
        eventually(lambda: "LAST LINE" in self.world.read("load"))
        written = self.copy.read_bytes()
        self.asked = int(written.rsplit(b"asked=", 1)[1])
        eventually(lambda: len(self.answers()) >= self.asked, what="an answer to every query")
        self.assertEqual(self.answers(), list(range(1, self.asked + 1)), "each once, in order")
        self.assert_next_attach_is_exact(written)

    def test_a_vtd_that_hangs_is_replaced(self):
        hung = self.world.vtd("load")
        send(hung, signal.SIGSTOP)
        self.driver.type("g")
        eventually(lambda: self.world.vtd("load") != hung, within=10, what="another VTD")
        self.driver.type("q")
        eventually(lambda: "LAST LINE" in self.world.read("load"))
        self.assert_next_attach_is_exact(self.copy.read_bytes())


if __name__ == "__main__":
    main()
