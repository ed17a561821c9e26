"""Wrong input and a world that says no: a sentence that says what to do, its exit code, and nothing left behind."""

import os
import subprocess

from harness import Case, World, main
from process import eventually

NOBODY = 65534


class Wrong(Case):
    def assert_nothing_left(self, world=None):
        world = world or self.world
        self.assertEqual(world.files_left(), [])
        self.assertEqual(world.processes(), [])


class Names(Wrong):
    VERBS = (["info"], ["read"], ["send"], ["kill"], ["rm"], ["detach"])

    def test_an_unknown_name_is_an_error_for_every_verb_and_touches_no_other_session(self):
        self.world.start("present", "cat")
        offset = self.world.info("present")["offset"]
        inside = {"HOLDFAST_SESSION": self.world.info("present")["id"], "HOLDFAST_NAME": "present"}
        for verb in self.VERBS:
            for env in ({}, inside):
                with self.subTest(verb=verb, inside=bool(env)):
                    text = ["text"] if verb == ["send"] else []
                    done = self.world.hold(*verb, "absent", *text, env=env)
                    self.assert_refused(done, 3, "absent")
        self.assertEqual(self.world.info("present")["offset"], offset)
        self.assertEqual(self.world.life("present"), "running")

    def test_a_similar_name_is_offered(self):
        self.world.start("builder", "cat")
        self.assert_refused(self.world.hold("info", "bulder"), 3, "builder")

    def test_a_taken_name_says_how_to_attach(self):
        self.world.start("mine", "cat")
        done = self.world.hold("new", "-d", "--name", "mine", "--", "cat")
        self.assert_refused(done, 6, "mine", "hold attach mine")
        self.assertEqual(len(self.world.sessions()), 1)

    def test_names_that_are_none(self):
        for name in ("Upper", "../up", "a/b", "a" * 33, "1st", "sp ace", "", "-x", "a\nb"):
            with self.subTest(name):
                self.assert_refused(self.world.hold("new", "-d", f"--name={name}", "--", "cat"), 2)
        self.assert_nothing_left()

    def test_a_prefix_that_fits_several_ids_is_not_guessed(self):
        self.world.start("one", "cat")
        self.world.start("two", "cat")
        ids = [s["id"] for s in self.world.sessions()]
        common = os.path.commonprefix(ids)
        self.assertGreater(len(common), 2)
        self.assert_refused(self.world.hold("info", common), 2, common)
        self.assertEqual(self.world.info(ids[0])["name"], "one")


class Calls(Wrong):
    def test_sizes_that_are_none(self):
        for size in ("0x0", "80", "80x", "axb", "-1x24", "80x24x3", "5000x24", "80x5000", "99999999999x1"):
            with self.subTest(size):
                self.assert_refused(self.world.hold("new", "-d", f"--size={size}", "--", "cat"), 2, size)
        self.assert_nothing_left()

    def test_unknown_verbs_and_options(self):
        for call in ("frobnicate", "ls --frobnicate", "ls -z", "ls x", "info", "kill", "kill --grace", "kill --grace x n",
                     "read --rows x n", "read --rows 0 n", "read --format x n", "send", "send n", "send n --key foo",
                     "new -d --env x -- cat", "new -d --label =b -- cat", "new -d --detach-key foo -- cat", "attach --detach-key foo x",
                     "new -d --name a --name b -- cat", "new -d -na --name=b -- cat", "attach -- cat", "attach --create",
                     "completion", "completion tcsh", "debug", "debug foo", "help foo", "help debug foo",
                     "debug vt --cols x", "debug vt --resize x", "debug vt --profile x", "debug vt --graphemes x",
                     "debug vt --host"):
            with self.subTest(call):
                done = self.world.hold(*call.split())
                self.assert_refused(done, 2)
                self.assertRegex(done.complaint, "^hold: cannot [^;]+: [^;]+; ", "with advice")
        self.assert_nothing_left()

    def test_with_json_every_error_is_an_object_too(self):
        self.world.start("runs", "cat")
        for call, code, exit_code in (
                ("read absent --json", "not_found", 3), ("read absent --format json", "not_found", 3),
                ("info absent --json", "not_found", 3), ("send absent x --json", "not_found", 3),
                ("detach absent --json", "not_found", 3), ("new -d --json --name runs -- cat", "refused", 6),
                ("new --json -- cat", "usage", 2), ("rm --json", "usage", 2), ("ls --json --foo", "usage", 2),
                ("ls --foo --json", "usage", 2), ("ls --json x", "usage", 2), ("info --json", "usage", 2),
                ("read --json --rows 0 runs", "usage", 2), ("kill --json --grace x runs", "usage", 2),
                ("send --json runs --key foo", "usage", 2), ("version --json x", "usage", 2),
                ("attach --json runs", "usage", 2), ("--json", "usage", 2), ("--json ls", "usage", 2), ("frobnicate --json", "usage", 2)):
            with self.subTest(call):
                done = self.world.hold(*call.split())
                self.assertEqual(done.code, exit_code, done)
                self.assertEqual(list(done.json()), ["schema", "error"], done)
                error = done.json()["error"]
                self.assertEqual(error["code"], code, done)
                self.assertIn(f"hold: {error['message']}\n", done.complaint)
        done = self.world.hold("send", "absent", "--", "--json")
        self.assert_refused(done, 3, "absent")

    def test_what_is_wrong_with_a_call_is_said_with_words_that_can_be_typed(self):
        for call, words in (("new -- vim a", "hold new -d -- vim a"), ("info", "NAME is missing"),
                            ("send", ": NAME is missing"), ("ls --naems", "--names"), ("debug", "hold debug vt"),
                            ("help atach", "hold help attach"), ("list", "hold ls"), ("lst", "hold ls"),
                            ("start", "hold new"), ("-n foo", "the option -n stands where a verb belongs"), ("--all", "hold VERB --all"), ("new -n a --name b", "--name is given twice")):
            with self.subTest(call):
                self.assert_refused(self.world.hold(*call.split()), 2, words)
        self.assert_refused(self.world.hold("new", "--name", "x", "--", "vim", "a b"), 2,
                            "hold new -d --name x -- vim 'a b'\n")

    def test_a_session_s_name_in_the_place_of_a_verb_says_how_to_attach(self):
        self.world.start("work", "cat")
        self.assert_refused(self.world.hold("work"), 2, "hold attach work")
        self.assertNotIn("hold attach", self.world.hold(self.world.info("work")["id"]).complaint)

    def test_help_of_a_word_that_begins_several_verbs_lists_them(self):
        for call in (["help", "debug"], ["debug", "--help"], ["debug", "-h"]):
            done = self.world.must(*call)
            self.assertIn("debug vt", done.text)
            self.assertIn("debug man", done.text)
            self.assertNotIn("attach", done.text)

    def test_new_without_a_terminal_says_that_it_needs_d(self):
        self.assert_refused(self.world.hold("new", "--", "cat"), 2, "-d")
        self.assert_nothing_left()

    def test_attach_without_a_terminal_is_an_error(self):
        self.world.start("x", "cat")
        self.assert_refused(self.world.hold("attach", "x"), 2, "terminal")
        self.assertEqual(self.world.info("x")["clients"], 0)

    def test_on_a_terminal_a_message_is_wrapped_between_words(self):
        terminal = self.world.terminal("attach", "a-session-that-is-not-there", cols=40)
        self.assertEqual(terminal.wait_exit(), 3)
        lines = [line for line in terminal.lines() if line]
        self.assertGreater(len(lines), 1)
        said = self.world.hold("attach", "a-session-that-is-not-there").complaint
        self.assertEqual(" ".join(line.strip() for line in lines), said.strip())

    def test_a_malformed_configuration_names_file_and_line(self):
        (self.world.root / "config/holdfast/config.toml").write_text("[terminal]\nflow = 7\n")
        self.assert_refused(self.world.hold("new", "-d", "--", "cat"), 1, "config.toml", "line 2", "flow")
        self.assert_nothing_left()


class Programs(Wrong):
    def refused(self, argv, *words, code=1, **more):
        done = self.world.hold("new", "-d", "--name", "p", "--", *argv, **more)
        self.assert_refused(done, code, *words)
        self.assert_nothing_left()

    def test_a_missing_program(self):
        self.refused(["no-such-program-here"], "no-such-program-here")
        self.refused(["/no/such/path"], "/no/such/path")

    def test_a_file_that_is_no_program(self):
        self.world.work("text").write_text("hello\n")
        self.refused([str(self.world.work("text"))], "text")
        self.refused([str(self.world.root)], str(self.world.root))
        self.world.work("bad").write_text("#!/no/such/interpreter\n")
        self.world.work("bad").chmod(0o755)
        self.refused([str(self.world.work("bad"))], "bad")

    def test_a_missing_directory_is_refused_and_never_replaced_by_home(self):
        done = self.world.hold("new", "-d", "--cwd", "/no/such/dir", "--", "cat")
        self.assert_refused(done, 1, "/no/such/dir")
        self.assert_nothing_left()

    def test_a_failed_start_under_a_terminal_gives_the_terminal_back(self):
        terminal = self.world.terminal("new", "--", "no-such-program-here")
        self.assertEqual(terminal.wait_exit(), 1)
        self.assertEqual(terminal.settings(), terminal.line_settings)
        self.assertIn("no-such-program-here", terminal.text())
        self.assert_nothing_left()


class Permissions(Wrong):
    """As another user, because root may do anything."""

    def setUp(self):
        super().setUp()
        self.other = World(uid=NOBODY)
        self.addCleanup(lambda: self.assertEqual(self.other.clear(), []))

    def test_a_directory_one_may_not_enter(self):
        closed = self.other.root / "closed"
        closed.mkdir(mode=0o700)
        done = self.other.hold("new", "-d", "--cwd", closed, "--", "cat")
        self.assert_refused(done, 1, str(closed))
        self.assert_nothing_left(self.other)

    def test_a_program_one_may_not_run(self):
        closed = self.other.root / "closed-program"
        closed.write_text("#!/bin/sh\n")
        closed.chmod(0o700)
        self.assert_refused(self.other.hold("new", "-d", "--", closed), 1, str(closed))
        self.assert_nothing_left(self.other)

    def test_a_state_directory_one_may_not_write(self):
        os.chown(self.other.root / "state", 0, 0)
        (self.other.root / "state").chmod(0o755)
        self.assert_refused(self.other.hold("new", "-d", "--", "cat"), 1, str(self.other.root / "state"))
        os.chown(self.other.root / "state", NOBODY, NOBODY)
        self.assert_nothing_left(self.other)

    def test_a_directory_of_sockets_that_is_not_ours_or_open_to_others(self):
        sockets = self.other.root / "run/s"
        sockets.mkdir()
        for uid, mode in ((0, 0o755), (0, 0o777), (NOBODY, 0o777)):
            with self.subTest(uid=uid, mode=oct(mode)):
                os.chown(sockets, uid, uid)
                sockets.chmod(mode)
                done = self.other.hold("new", "-d", "--", "cat")
                self.assertIn(done.code, (1, 6), done)
                self.assert_refused(done, done.code, str(sockets))
                self.assert_nothing_left(self.other)

    def test_root_is_told_to_become_the_user(self):
        self.other.start("theirs", "cat")
        calls = (["kill", "theirs"], ["read", "theirs"], ["send", "theirs", "text"], ["ls"])
        self.other.uid = None  # root, with the user's environment
        refused = [self.other.hold(*call) for call in calls]
        self.other.uid = NOBODY
        for done in refused:
            with self.subTest(done.argv):
                self.assert_refused(done, 6, "sudo -u")
        self.assertEqual(self.other.life("theirs"), "running")

    def test_root_on_the_socket_is_told_so_too(self):
        self.other.start("theirs", "cat")
        client = self.other.peer("theirs", greet=False)
        client.until_gone()
        self.assertIn("sudo -u", client.answers[0]["message"])
        self.assertEqual(self.other.life("theirs"), "running")

    def test_an_ordinary_user_can_do_everything(self):
        self.other.start("mine", "sh", "-c", "id -u; cat")
        terminal = self.other.terminal("attach", "mine")
        terminal.wait_for(str(NOBODY))
        terminal.type(b"\x1c")
        self.assertEqual(terminal.wait_exit(), 0)
        self.other.must("kill", "mine")


class LongPaths(Wrong):
    def use(self, length):
        path = self.world.root / "run"
        while len(str(path)) < length:
            path = path / ("d" * min(100, length - len(str(path))))
        self.world.env["HOLDFAST_RUNTIME_DIR"] = str(path)

    def test_a_socket_path_longer_than_an_address_works_all_the_same(self):
        self.use(300)
        self.world.start("far", "sh", "-c", "echo far away; cat")
        terminal = self.world.terminal("attach", "far")
        terminal.wait_for("far away")
        self.assertEqual(self.world.sessions()[0]["clients"], 1)
        self.world.must("kill", "--rm", "far")
        terminal.wait_exit()
        self.assert_nothing_left()

    def test_a_home_of_a_hundred_and_twenty_characters(self):
        for name in ("HOLDFAST_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
            del self.world.env[name]
        home = self.world.root / ("h" * (120 - len(str(self.world.root))))
        home.mkdir()
        self.world.env |= {"HOME": str(home), "HOLDFAST_RUNTIME_DIR": str(home / "run")}
        self.world.must("new", "-d", "--name", "deep", "--", "cat")
        self.assertEqual(self.world.must("info", "deep", "--json").json()["life"], "running")
        self.world.must("kill", "--rm", "deep")
        self.assertEqual(list((home / ".local/state/holdfast/sessions").iterdir()), [])

    def test_a_path_no_system_takes_is_a_sentence(self):
        self.world.env["HOLDFAST_RUNTIME_DIR"] = str(self.world.root / "run" / ("d" * 300))
        self.assert_refused(self.world.hold("new", "-d", "--", "cat"), 1, "HOLDFAST_RUNTIME_DIR")
        self.assert_nothing_left()


class FullDisk(Wrong):
    def setUp(self):
        super().setUp()
        self.disk = self.world.root / "state"
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=0700", "full", self.disk], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "-l", self.disk], check=True))

    def fill(self):
        with open(self.disk / "ballast", "wb", buffering=0) as ballast:
            for size in (4096, 1):
                try:
                    while True:
                        ballast.write(b"x" * size)
                except OSError:
                    pass

    def test_a_full_disk_stops_the_start_with_a_sentence_and_nothing_is_left(self):
        self.fill()
        self.assert_refused(self.world.hold("new", "-d", "--name", "full", "--", "cat"), 1, "space")
        self.assert_nothing_left()
        (self.disk / "ballast").unlink()
        self.world.start("full", "cat")
        self.assertEqual(self.world.life("full"), "running")
        self.world.must("kill", "--rm", "full")

    def test_a_disk_that_fills_later_costs_the_session_nothing(self):
        self.world.start("lives", "sh", "-c", "while read x; do echo got $x; done")
        self.fill()
        self.world.must("send", "lives", "--stdin", stdin=b"hello\n")
        eventually(lambda: "got hello" in self.world.read("lives"))
        self.world.must("kill", "lives")
        self.assertEqual(self.world.life("lives"), "exited")
        (self.disk / "ballast").unlink()
        self.world.must("rm", "lives")


if __name__ == "__main__":
    if os.getuid() != 0:
        raise SystemExit("these proofs need root: they become another user and mount a small disk")
    main()
