"""The roster, records and what scripts read; nothing a session does delays them."""

import json
import pathlib
import signal

from harness import Case, main, program
from process import SANITIZED, descriptors, eventually, send

CYCLES = 40 if SANITIZED else 200
GROWTH = 512  # pages
# Seconds. Less than the 5 that a holder is given for an answer: who is quick has not waited for one.
QUICK = 4.0
# Seconds a holder is given to greet before /proc is asked why it does not: who talks to one that runs never waits so long.
GREETING = 0.5
# What scripts rely on (docs/cli.md): names and types stay.
INFO = {
    "schema": int, "id": str, "name": str, "life": str, "state": str, "marks": list, "argv": list, "cwd": str,
    "title": str, "cols": int, "rows": int, "pid": int, "created_ms": int, "last_activity_ms": int,
    "last_attached_ms": int, "clients": int, "leader": str, "offset": int, "version": str, "labels": dict,
    "foreground": str,
}


class Records(Case):
    def assert_shape(self, info):
        for field, kind in INFO.items():
            self.assertIsInstance(info.get(field), kind, field)
        self.assertEqual(info["schema"], 1)

    def test_info_and_ls_print_the_same_record_in_the_documented_shape(self):
        self.world.must("new", "-d", "--name", "one", "--label", "task=a/b: c", "--", "sh", "-c",
                        "printf '\\033]2;a title\\007'; exec cat")
        eventually(lambda: self.world.info("one")["title"] == "a title")
        info = self.world.info("one")
        self.assert_shape(info)
        self.assertEqual(info["argv"][0], "sh")
        self.assertEqual(info["labels"], {"task": "a/b: c"})
        self.assertEqual(info["cwd"], str(self.world.root / "work"))
        self.assertEqual((info["life"], info["clients"]), ("running", 0))
        (listed,) = self.world.sessions()
        self.assert_shape(listed)
        volatile = ("last_activity_ms", "foreground")
        self.assertEqual({k: v for k, v in listed.items() if k not in volatile},
                         {k: v for k, v in info.items() if k not in volatile})

    def test_an_exited_session_tells_how_it_ended(self):
        self.world.start("e", "sh", "-c", "exit 41")
        eventually(lambda: self.world.life("e") == "exited")
        info = self.world.info("e")
        self.assertEqual((info["exit_code"], info["exit_signal"]), (41, 0))
        self.assertGreaterEqual(info["ended_ms"], info["created_ms"])
        self.world.start("k", "sh", "-c", "kill -9 $$")
        eventually(lambda: self.world.life("k") == "exited")
        self.assertEqual(self.world.info("k")["exit_signal"], 9)

    def test_an_empty_world_lists_nothing(self):
        self.assertEqual(self.world.sessions(), [])
        self.assertEqual(self.world.must("ls").code, 0)

    def test_new_prints_the_name_it_chose(self):
        done = self.world.must("new", "-d", "--", "cat")
        self.assertIn("cat-work", done.text + done.complaint)
        as_json = self.world.must("new", "-d", "--json", "--", "cat").json()
        self.assertEqual(as_json["name"], "cat-work-2")
        self.assertEqual(self.world.info(as_json["id"])["name"], "cat-work-2")

    def test_an_id_or_its_unique_prefix_names_a_session(self):
        name = self.world.start("one", "cat")
        identity = self.world.info(name)["id"]
        self.assertEqual(self.world.info(identity)["name"], name)
        self.assertEqual(self.world.info(identity[:20])["name"], name)

    def test_read_in_every_format(self):
        self.world.start("r", "sh", "-c", "printf '\\033[1;31mred\\033[0m <b>\\n'; seq 1 30; cat")
        eventually(lambda: "30" in self.world.read("r").split())
        self.assertEqual(self.world.read("r", "--rows", "2"), "29\n30\n", "as tail would of what is written")
        everything = self.world.read("r", "--all")
        self.assertIn("red <b>", everything)
        self.assertIn("\x1b[", self.world.read("r", "--all", "--format", "vt"))
        self.assertIn("&lt;b&gt;", self.world.read("r", "--all", "--format", "html"))
        self.assertTrue(json.loads(self.world.read("r", "--all", "--format", "json")))
        self.assertTrue(json.loads(self.world.read("r", "--json")))

    def test_send_types_text_keys_and_standard_input(self):
        typed = self.world.work("typed")
        self.world.start("s", *program("record.py", typed))
        eventually(lambda: "READY" in self.world.read("s"))
        self.world.must("send", "s", "some text")
        self.world.must("send", "s", "--key", "enter")
        self.world.must("send", "s", "--stdin", stdin=b"\x00\xff raw\n")
        eventually(lambda: typed.read_bytes() == b"some text\r\x00\xff raw\n")

    def test_version_is_quick_and_exact(self):
        self.assertRegex(self.world.must("version").text, r"\d+\.\d+\.\d+")
        self.assertIn("version", self.world.must("version", "--json").json())


class Quick(Case):
    def test_a_program_that_never_says_anything_delays_nothing(self):
        self.world.start("mute", "sleep", "1000")
        self.world.start("stopped", "sleep", "1000")
        send(self.world.info("stopped")["pid"], signal.SIGSTOP)
        for command in (["ls"], ["ls", "--json"], ["info", "mute"], ["read", "stopped"]):
            self.assertLess(self.world.must(*command).seconds, QUICK, command)
        self.world.must("kill", "stopped", "--grace", 300)  # without waiting for it

    def test_typing_waits_for_nothing_but_the_holders_two_answers(self):
        self.world.start("s", "cat")
        quickest = min(self.world.must("send", "s", "x").seconds for _ in range(5))
        self.assertLess(quickest, GREETING)

    def test_a_stopped_holder_is_listed_as_not_responding_and_delays_only_a_moment(self):
        for name in ("good", "bad"):
            self.world.start(name, "cat")
        holder = self.world.holder("bad")
        send(holder, signal.SIGSTOP)
        try:
            done = self.world.must("ls", "--json")
            self.assertLess(done.seconds, QUICK)
            lives = {s["name"]: s["life"] for s in done.json()["sessions"]}
            self.assertEqual(lives, {"good": "running", "bad": "not-responding"})
            self.assertIn("not responding", self.world.must("ls").text)
        finally:
            send(holder, signal.SIGCONT)
        eventually(lambda: self.world.life("bad") == "running")

    def test_attach_to_a_stopped_holder_gives_up_and_gives_the_terminal_back(self):
        self.world.start("bad", "cat")
        holder = self.world.holder("bad")
        send(holder, signal.SIGSTOP)
        try:
            terminal = self.world.terminal("attach", "bad")
            self.assertEqual(terminal.wait_exit(), 4, terminal)
            self.assertEqual(terminal.settings(), terminal.line_settings)
            self.assertIn("does not answer", terminal.sentences())
        finally:
            send(holder, signal.SIGCONT)
        eventually(lambda: self.world.life("bad") == "running")

    def test_hold_alone_prints_the_roster(self):
        self.world.start("one", "cat")
        self.assertIn("one", self.world.must().text)

    def test_exited_sessions_fold_into_one_line(self):
        for n in range(3):
            self.world.start(f"done{n}", "true")
        self.world.start("alive", "cat")
        eventually(lambda: [s["life"] for s in self.world.sessions()].count("exited") == 3)
        text = self.world.must("ls").text
        self.assertIn("alive", text)
        self.assertEqual(len([line for line in text.splitlines() if "done" in line or "exited" in line]), 1, text)
        self.assertEqual(sorted(self.world.must("ls", "--names", "--exited").text.split()), ["done0", "done1", "done2"])
        self.assertEqual(self.world.must("ls", "--names").text, "alive\n")
        self.assertNotIn("alive", self.world.must("ls", "--exited").text)
        self.assertEqual(self.world.must("rm", "done1").text, "")
        self.assertEqual(self.world.must("rm", "--exited").text, "removed 2: done0, done2\n")
        self.assertEqual(self.world.must("rm", "--exited").text, "nothing to remove\n")
        self.assertEqual([s["name"] for s in self.world.sessions()], ["alive"])


class Leaks(Case):
    def test_two_hundred_sessions_come_and_go_and_nothing_stays(self):
        self.world.start("stays", "cat")
        kept = [self.world.keeper("stays"), self.world.holder("stays")]
        self.assertEqual(self.world.life("stays"), "running")  # the holder answers: it has all it needs
        before = [descriptors(pid) for pid in kept]
        directories = sorted(map(str, self.world.root.rglob("*")))
        processes = sorted(self.world.processes())
        for n in range(CYCLES):
            self.world.start("brief", "cat")
            self.world.must("kill", "--rm", "brief")
        # Fewer when the connection of the last question was still open at the first count.
        eventually(lambda: all(descriptors(pid) <= count for pid, count in zip(kept, before)))
        eventually(lambda: sorted(self.world.processes()) == processes)
        self.assertEqual(sorted(map(str, self.world.root.rglob("*"))), directories)

    def test_two_hundred_attaches_leave_no_descriptor_and_no_memory_in_the_holder(self):
        # AddressSanitizer keeps freed memory back, up to 256 MiB of it: that is no leak of the holder's.
        options = [self.world.env.get("ASAN_OPTIONS", ""), "quarantine_size_mb=0", "thread_local_quarantine_size_kb=0"]
        self.world.env["ASAN_OPTIONS"] = ":".join(filter(None, options))
        self.world.start("stays", "cat")
        holder = self.world.holder("stays")

        def come_and_go():
            for n in range(CYCLES):
                client = self.world.peer("stays")
                client.attach(80 + n % 5, 24)
                client.close()
            eventually(lambda: self.world.info("stays")["clients"] == 0)

        def pages():
            return int(pathlib.Path(f"/proc/{holder}/statm").read_text().split()[1])
        come_and_go()  # an allocator takes what it keeps for every size once
        open_files, memory = descriptors(holder), pages()
        come_and_go()
        eventually(lambda: descriptors(holder) <= open_files)
        self.assertLess(pages() - memory, GROWTH, "pages")


if __name__ == "__main__":
    main()
