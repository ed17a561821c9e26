"""Many at once: names are taken once, and nothing is half made."""

from concurrent.futures import ThreadPoolExecutor

from harness import Case, main
from process import SANITIZED, argv, eventually

PARALLEL = 10 if SANITIZED else 50


class Races(Case):
    def new(self, name):
        return self.world.hold("new", "-d", "--name", name, "--", "cat", within=120)

    def at_once(self, names):
        with ThreadPoolExecutor(len(names)) as pool:
            return list(pool.map(self.new, names))

    def test_twenty_clients_racing_to_one_new_name_make_one_session(self):
        clients = [self.world.terminal("attach", "--create", "race", "--", "sh", "-c", "echo born; cat")
                   for _ in range(20)]
        for client in clients:
            client.wait_for("born", within=60)
        (session,) = self.world.sessions()
        self.assertEqual((session["name"], session["clients"]), ("race", 20))
        self.assertEqual(len([p for p in self.world.processes() if self.is_keeper(p)]), 1)
        clients[7].type("typed\r")
        for client in clients:
            client.wait_for("typed")

    def is_keeper(self, pid):
        return argv(pid)[:1] == ["hold-keeper"]

    def test_fifty_parallel_starts_of_one_name_make_one_session(self):
        done = self.at_once(["same"] * PARALLEL)
        self.assertEqual(sorted({d.code for d in done}), [0, 6], done)
        self.assertEqual(len([d for d in done if d.code == 0]), 1)
        for refused in (d for d in done if d.code):
            self.assert_refused(refused, 6, "same", "hold attach same")
        self.assertEqual([s["name"] for s in self.world.sessions()], ["same"])

    def test_fifty_parallel_starts_of_fifty_names_make_fifty_sessions(self):
        names = [f"n{n}" for n in range(PARALLEL)]
        done = self.at_once(names)
        self.assertEqual([d for d in done if d.code], [])
        sessions = self.world.sessions()
        self.assertEqual(sorted(s["name"] for s in sessions), sorted(names))
        self.assertEqual({s["life"] for s in sessions}, {"running"})

    def test_parallel_starts_without_a_name_get_names_of_their_own(self):
        with ThreadPoolExecutor(10) as pool:
            done = list(pool.map(lambda _: self.world.hold("new", "-d", "--", "cat"), range(10)))
        self.assertEqual([d for d in done if d.code], [])
        names = sorted(s["name"] for s in self.world.sessions())
        self.assertEqual(len(set(names)), 10)
        self.assertIn("cat-work", names)

    def test_starts_and_kills_of_one_name_in_parallel_leave_nothing_half(self):
        def cycle(_):
            made = self.new("busy")
            return made.code, self.world.hold("kill", "--rm", "busy").code
        with ThreadPoolExecutor(8) as pool:
            codes = list(pool.map(cycle, range(24)))
        self.assertLessEqual({c for pair in codes for c in pair}, {0, 3, 6})
        self.assertIn(0, [made for made, _ in codes])
        eventually(lambda: self.world.hold("kill", "--rm", "busy").code == 3)
        self.assertEqual(self.world.sessions(), [])


if __name__ == "__main__":
    main()
