"""Who leads: whose keys reach the program, whose size it has."""

import peer as wire
from engine import canonical, outer_state
from harness import Case, main, program
from process import eventually


class Leader(Case):
    def setUp(self):
        super().setUp()
        self.sizes = self.world.work("sizes")
        self.typed = self.world.work("typed")

    def watched(self):
        """A session whose program notes each SIGWINCH."""
        self.world.start("w", *program("winch.py", self.sizes))
        eventually(lambda: self.noted() == ["80x24"])
        return "w"

    def noted(self):
        return self.sizes.read_text().split() if self.sizes.exists() else []

    def recording(self):
        self.world.start("r", *program("record.py", self.typed))
        eventually(lambda: "READY" in self.world.read("r"))
        return "r"

    def attached(self, name, cols=80, rows=24, **more):
        client = self.world.peer(name)
        answer = client.attach(cols, rows, **more)
        return client, answer

    def settled(self, *clients):
        """A round trip to the holder on each connection: what was sent before has been dealt with."""
        for client in clients:
            client.info()

    def size(self, name):
        info = self.world.info(name)
        return info["cols"], info["rows"]

    def roles(self, client):
        return [e["leader"] for e in client.events if e["event"] == "role"]


class Sizes(Leader):
    def test_each_attach_of_a_leader_gives_exactly_one_winch_also_at_the_same_size(self):
        name = self.watched()
        for n, (cols, rows) in enumerate(((80, 24), (80, 24), (100, 30), (100, 30)), start=1):
            client, answer = self.attached(name, cols, rows)
            self.assertEqual(answer["role"], "leader")
            eventually(lambda n=n: len(self.noted()) == n + 1)
            self.settled(client)
            self.assertEqual(self.noted()[-1], f"{cols}x{rows}")
            client.close()
            eventually(lambda: self.world.info(name)["clients"] == 0)
        self.assertEqual(self.noted(), ["80x24", "80x24", "80x24", "100x30", "100x30"])

    def test_an_observer_changes_no_size(self):
        name = self.watched()
        client, answer = self.attached(name, 100, 30, observe=True)
        self.assertEqual((answer["role"], answer["cols"], answer["rows"]), ("observer", 80, 24))
        client.send(wire.RESIZE, {"cols": 60, "rows": 20})
        self.settled(client)
        self.assertEqual(self.size(name), (80, 24))
        self.assertEqual(self.noted(), ["80x24"])

    def test_degenerate_sizes_are_ignored(self):
        name = self.watched()
        client, _ = self.attached(name)
        eventually(lambda: len(self.noted()) == 2)
        for cols, rows in ((0, 0), (1, 1), (9, 24), (80, 1), (0, 24)):
            client.send(wire.RESIZE, {"cols": cols, "rows": rows})
        self.settled(client)
        client.send(wire.RESIZE, {"cols": 90, "rows": 28})
        eventually(lambda: self.noted()[-1] == "90x28")
        self.assertEqual(self.noted(), ["80x24", "80x24", "90x28"])

    def test_a_tiny_terminal_may_attach_and_the_program_keeps_its_size(self):
        name = self.watched()
        client, answer = self.attached(name, 5, 1)
        self.assertNotIn("code", answer)
        self.assertEqual(self.size(name), (80, 24))

    def test_a_drag_is_thinned_out_and_its_last_size_kept(self):
        name = self.watched()
        client, _ = self.attached(name)
        for cols in range(81, 181):
            client.send(wire.RESIZE, {"cols": cols, "rows": 30})
        eventually(lambda: self.noted()[-1] == "180x30")
        self.assertLess(len(self.noted()), 60)

    def test_the_terminals_own_resize_reaches_the_program(self):
        name = self.watched()
        terminal = self.world.terminal("attach", name)
        terminal.wait_for("READY")
        terminal.resize(97, 31)
        terminal.wait_for(lambda: self.noted()[-1] == "97x31")


class Typing(Leader):
    def test_the_first_leads_the_second_watches_until_it_types(self):
        name = self.recording()
        first, one = self.attached(name, 80, 24)
        second, two = self.attached(name, 100, 30)
        self.assertEqual((one["role"], two["role"]), ("leader", "observer"))
        self.assertEqual((two["cols"], two["rows"]), (80, 24), "an observer of another size is told so")
        second.type("x")
        second.until(lambda: self.roles(second)[-1:] == [True])
        first.until(lambda: self.roles(first)[-1:] == [False])
        eventually(lambda: self.typed.read_bytes() == b"x")
        self.assertEqual(self.size(name), (100, 30))
        role = first.event("role")
        self.assertEqual((role["cols"], role["rows"]), (100, 30))

    def test_what_nobody_typed_does_not_promote_and_does_not_reach_the_program(self):
        name = self.recording()
        first, _ = self.attached(name)
        second, _ = self.attached(name)
        for quiet in (b"\x1b[<0;5;5M", b"\x1b[<0;5;5m", b"\x1b[M !!", b"\x1b[I", b"\x1b[O", b"\x1b[?62;22c", b"\x1b[0n",
                      b"\x1b[?1u", b"\x1b[97;1:3u", b"\x1b[5;5R", b"\x1b]11;rgb:0/0/0\x1b\\", b"\x1bP>|term\x1b\\"):
            second.type(quiet)
        self.settled(second, first)
        first.type("end")
        eventually(lambda: self.typed.read_bytes().endswith(b"end"))
        self.assertEqual(self.typed.read_bytes(), b"end")
        self.assertNotIn(True, self.roles(second))

    def test_what_somebody_typed_promotes(self):
        name = self.recording()
        expected = b""
        for key in (b"a", b"\r", b"\n", b"\t", b"\x7f", b"\x1b[A", b"\x1b[97;5u", b"\x1b[1;5C", b"\x1b[3~", b"\x03",
                    "é".encode(), b"\x1b[200~paste\x1b[201~"):
            with self.subTest(key=key):
                first, _ = self.attached(name)
                second, _ = self.attached(name)
                second.type(key)
                expected += key
                second.until(lambda: self.roles(second)[-1:] == [True])
                eventually(lambda: self.typed.read_bytes() == expected)
                first.close()
                second.close()
                eventually(lambda: self.world.info(name)["clients"] == 0)

    def test_an_observer_by_choice_never_leads(self):
        name = self.recording()
        observer, answer = self.attached(name, 100, 30, observe=True)
        self.assertEqual(answer["role"], "observer")
        observer.type("never")
        self.settled(observer)
        first, one = self.attached(name)
        self.assertEqual(one["role"], "leader")
        observer.type("never")
        self.settled(observer)
        first.close()
        eventually(lambda: self.world.info(name)["clients"] == 1)
        observer.type("never")
        self.settled(observer)
        self.assertEqual(self.world.info(name)["leader"], "")
        self.assertEqual(self.typed.read_bytes(), b"")

    def test_automation_is_delivered_and_never_leads(self):
        name = self.recording()
        first, _ = self.attached(name, 80, 24)
        self.attached(name, 100, 30)
        leader = self.world.info(name)["leader"]
        robot = self.world.peer(name)
        for n in range(100):
            robot.type(f"{n},")
        self.world.must("send", name, "end")
        expected = "".join(f"{n}," for n in range(100)) + "end"
        eventually(lambda: self.typed.read_bytes().decode() == expected)
        self.assertEqual(self.world.info(name)["leader"], leader)
        self.settled(first)
        self.assertNotIn(False, self.roles(first))
        self.assertEqual(self.size(name), (80, 24))

    def test_when_the_leader_leaves_the_last_active_one_leads_and_its_size_returns(self):
        name = self.watched()
        first, _ = self.attached(name, 80, 24)
        second, _ = self.attached(name, 100, 30)
        third, _ = self.attached(name, 90, 28)
        second.type("x")
        second.until(lambda: self.roles(second)[-1:] == [True])
        third.type("x")
        third.until(lambda: self.roles(third)[-1:] == [True])
        third.close()
        second.until(lambda: self.roles(second)[-2:] == [False, True])
        eventually(lambda: self.noted()[-1] == "100x30")

    def test_take_size_makes_a_client_the_leader(self):
        name = self.watched()
        first, _ = self.attached(name, 80, 24)
        second, _ = self.attached(name, 100, 30)
        second.ask(wire.TAKE_SIZE)
        second.until(lambda: self.roles(second)[-1:] == [True])
        eventually(lambda: self.noted()[-1] == "100x30")

    def test_attach_observe_draws_and_types_nothing(self):
        name = self.recording()
        terminal = self.world.terminal("attach", name, "--observe", cols=100, rows=30)
        terminal.wait_for("READY")
        terminal.type("ignored")
        self.world.must("send", name, "sent")
        terminal.wait_for(lambda: self.typed.read_bytes() == b"sent")
        terminal.type(b"\x1c")
        self.assertEqual(terminal.wait_exit(), 0)
        self.assertEqual(self.typed.read_bytes(), b"sent")


class OtherSizes(Leader):
    def test_an_observer_of_another_size_sees_what_fits(self):
        self.world.start("o", "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo row $i; done; cat")
        self.attached("o", 80, 24)
        terminal = self.world.terminal("attach", "o", "--observe", cols=40, rows=12)
        terminal.wait_for("row 5")
        self.world.must("send", "o", "--stdin", stdin=b"news\n")
        terminal.wait_for("news")

    def test_it_is_painted_where_nothing_scrolls_away_and_left_as_it_was_found(self):
        for size in ((60, 20), (100, 30), (79, 24)):
            with self.subTest(size=size):
                name = f"v{size[0]}"
                self.world.start(name, "sh", "-c", "echo THEIRS; cat")
                leader, _ = self.attached(name, 80, 24)
                mine = b"\x1b]2;mine\x1b\\my line\r\n"
                terminal = self.world.terminal("attach", name, cols=size[0], rows=size[1], before=mine)
                terminal.wait_for("THEIRS")
                self.assertTrue(terminal.mode(1049))
                for n in range(4):
                    self.world.must("send", name, "--stdin", stdin=b"news %d\n" % n)
                    terminal.wait_for(f"news {n}")
                self.world.must("detach", name)
                self.assertEqual(terminal.wait_exit(), 0)
                self.assertFalse(terminal.mode(1049))
                self.assertEqual(terminal.history(), [])
                self.assert_same(terminal.state(), outer_state(canonical(mine, *size)))
                self.assertEqual(terminal.lines()[0].rstrip(), "my line")
                self.assertNotIn("news", terminal.text())
                leader.close()

    def test_one_that_takes_the_lead_has_its_own_lines_above_the_screen(self):
        self.world.start("o", "sh", "-c", "echo THEIRS; cat")
        self.attached("o", 80, 24)
        terminal = self.world.terminal("attach", "o", cols=60, rows=20, before=b"my line\r\n")
        terminal.wait_for("THEIRS")
        terminal.type("mine now\n")
        terminal.wait_for(lambda: "mine now" in terminal.text() and not terminal.mode(1049))
        self.assertIn("my line", "\n".join(terminal.history()))
        self.assertEqual(terminal.lines()[0].rstrip(), "THEIRS")
        terminal.type(b"\x1c")
        self.assertEqual(terminal.wait_exit(), 0)
        self.assertEqual(terminal.lines()[0].rstrip(), "THEIRS")

    def test_when_the_sizes_become_equal_the_observer_goes_live(self):
        self.world.start("o", "sh", "-c", "printf '\\033[31mred'; cat")
        leader, _ = self.attached("o", 80, 24)
        observer, _ = self.attached("o", 60, 20, observe=True)
        leader.send(wire.RESIZE, {"cols": 60, "rows": 20})
        observer.until(lambda: any(p == wire.SCREEN and flags & wire.LAST for _, p, flags in observer.snapshots))
        self.world.must("send", "o", "--stdin", stdin=b"live\n")
        observer.until(lambda: b"live" in observer.output)


if __name__ == "__main__":
    main()
