"""The end of a program and of a session: who dies, what stays, which code."""

import os
import signal

from engine import HOLD
from harness import Case, main
from process import alive, eventually, send

# Seconds between the polite signals of `hold kill` and the last one: so long that a test which does not fail has not
# waited for it, however slow the machine is; and so short that a test which has to wait for it goes on soon.
LONG_GRACE, SHORT_GRACE = 300, 1


class Kill(Case):
    def test_nobody_of_the_tree_survives(self):
        self.world.work("tree.sh").write_text("""
            setsid sleep 1000 &
            (trap '' HUP TERM; sleep 1001) &
            (setsid sh -c 'trap "" HUP TERM INT; (sleep 1002 & sleep 1003); sleep 1004') &
            trap '' HUP TERM
            echo planted; while :; do sleep 1005; done
        """)
        self.world.start("tree", "bash", "tree.sh")
        eventually(lambda: "planted" in self.world.read("tree"))
        before, shadow = self.world.processes(), self.world.vtd("tree")
        self.world.must("kill", "tree", "--grace", SHORT_GRACE)
        ours = (self.world.keeper("tree"), self.world.holder("tree"), shadow)  # VTD goes when its last picture is kept
        left = [p for p in self.world.processes() if p not in ours]
        self.assertEqual(left, [], f"of {before}")

    def test_a_program_that_listens_ends_at_once(self):
        self.world.start("polite", "sh", "-c",
                         "trap 'echo bye; exit 12' HUP; echo ready; while :; do sleep 0.05; done")
        eventually(lambda: "ready" in self.world.read("polite"))
        self.world.must("kill", "polite", "--grace", LONG_GRACE)
        self.assertEqual(self.world.info("polite")["exit_code"], 12)
        self.assertIn("bye", self.world.read("polite"))

    def test_a_stopped_program_is_killed_too(self):
        self.world.start("stopped", "cat")
        send(self.world.info("stopped")["pid"], signal.SIGSTOP)
        self.world.must("kill", "stopped", "--grace", LONG_GRACE)

    def test_a_session_started_inside_another_outlives_it(self):
        self.world.start("outer", "sh", "-c", f"'{HOLD}' new -d --name inner -- cat; echo both; cat")
        eventually(lambda: "both" in self.world.read("outer"))
        self.world.must("kill", "outer")
        self.assertEqual(self.world.life("inner"), "running")
        self.world.must("kill", "outer")  # once more: there is nothing left of it to end
        self.assertEqual(self.world.life("inner"), "running")

    def test_kill_keeps_the_final_screen_and_rm_removes_it(self):
        self.world.start("kept", "sh", "-c", "echo the last words; exec cat")
        eventually(lambda: "last words" in self.world.read("kept"))
        self.world.must("kill", "kept")
        self.assertEqual(self.world.life("kept"), "exited")
        self.assertIn("the last words", self.world.read("kept"))
        self.world.must("rm", "kept")
        self.assert_refused(self.world.hold("info", "kept"), 3, "kept")
        self.assertEqual(self.world.files_left(), [])

    def test_kill_rm_does_both(self):
        self.world.start("gone", "cat")
        self.world.must("kill", "--rm", "gone")
        self.assertEqual(self.world.files_left(), [])
        eventually(lambda: not self.world.processes())

    def test_several_names_are_all_tried_and_the_code_says_partly(self):
        for name in ("one", "two"):
            self.world.start(name, "cat")
        done = self.world.hold("kill", "--rm", "one", "absent", "two")
        self.assertEqual(done.code, 7, done)
        self.assertIn("absent", done.complaint)
        self.assertEqual(self.world.sessions(), [])

    def test_rm_of_a_living_session_is_refused(self):
        self.world.start("alive", "cat")
        self.assert_refused(self.world.hold("rm", "alive"), 6, "hold kill --rm alive")
        self.assertEqual(self.world.life("alive"), "running")

    def test_kill_of_an_exited_session_says_so_and_changes_nothing(self):
        self.world.start("over", "sh", "-c", "exit 5")
        eventually(lambda: self.world.life("over") == "exited")
        done = self.world.hold("kill", "over")
        self.assertEqual((done.code, done.text), (0, "over had ended already: exit code 5\n"))
        self.assertEqual(self.world.info("over")["exit_code"], 5)


class End(Case):
    def test_a_name_is_free_again_when_its_session_has_ended(self):
        self.world.start("again", "sh", "-c", "echo the first")
        eventually(lambda: self.world.life("again") == "exited")
        first = self.world.info("again")["id"]
        self.world.start("again", "sh", "-c", "echo the second; cat")
        self.assertNotEqual(self.world.info("again")["id"], first)
        eventually(lambda: "the second" in self.world.read("again"))
        self.assertIn("the first", self.world.read(first), "the ended one is still there under its id")

    def test_attach_to_an_exited_session_prints_its_final_screen_and_exits_5(self):
        self.world.start("over", "sh", "-c",
                         "printf '\\033[?1049hfull screen\\033[?1049l'; echo the last words; exit 3")
        eventually(lambda: self.world.life("over") == "exited")
        terminal = self.world.terminal("attach", "over")
        self.assertEqual(terminal.wait_exit(), 5, terminal)
        self.assertIn("the last words", terminal.text())
        self.assertIn("3", terminal.sentences().split("the last words")[1], "one line says how it ended")
        self.assertEqual(terminal.settings(), terminal.line_settings)

    def test_an_attached_client_ends_with_the_session_and_says_why(self):
        self.world.start("ends", "sh", "-c", "echo ready; read x; echo bye; exit 7")
        terminal = self.world.terminal("attach", "ends")
        terminal.wait_for("ready")
        terminal.type("\r")
        self.assertEqual(terminal.wait_exit(), 5, terminal)
        self.assertIn("bye", terminal.history() + terminal.lines(), "what it said last stays for the person")
        self.assertIn("ends has ended: exit code 7", terminal.sentences())

    def test_a_background_process_that_keeps_the_terminal_delays_the_end_by_a_second_only_and_lives_on(self):
        # Set before the fork, so that no hangup can come before it: what nohup does.
        self.world.start("bg", "sh", "-c", "echo start; trap '' HUP; sleep 1000 & echo $! > left; exit 4")
        eventually(lambda: self.world.life("bg") == "exited", within=10)
        self.assertEqual(self.world.info("bg")["exit_code"], 4)
        self.assertIn("start", self.world.read("bg"))
        left = int(self.world.work("left").read_text())
        self.assertTrue(alive(left), "only hold kill ends what ignores a hangup")
        send(left)

    def test_output_of_a_program_that_ends_by_a_signal_is_kept(self):
        self.world.start("sig", "sh", "-c", "seq 1 5000; kill -SEGV $$")
        eventually(lambda: self.world.life("sig") == "exited")
        info = self.world.info("sig")
        self.assertEqual(info["exit_signal"], signal.SIGSEGV)
        self.assertEqual(self.world.read("sig", "--all").split()[-1], "5000")

    def test_hangup_of_every_program_and_then_termination_leaves_every_record(self):
        trapping = "trap 'exit 1' HUP; while :; do sleep 0.05; done"
        names = [self.world.start(f"s{n}", "sh", "-c", trapping) for n in range(3)]
        names.append(self.world.start("s3", "cat"))
        for name in names:
            send(self.world.info(name)["pid"], signal.SIGHUP)
        for name in names:
            eventually(lambda name=name: self.world.life(name) == "exited")
        recorded = {m["name"]: m["status"]["life"] for m in self.world.manifests()}
        self.assertEqual(recorded, {n: "exited" for n in names})

    def test_termination_of_the_daemons_is_not_the_end_of_the_program(self):
        self.world.start("s", "sh", "-c", "while read x; do echo got $x; done")
        pid = self.world.info("s")["pid"]
        for victim in (self.world.holder("s"), self.world.keeper("s")):
            send(victim, signal.SIGHUP)
            send(victim, signal.SIGINT)
        eventually(lambda: self.world.hold("send", "s", "--stdin", stdin=b"hello\n").code == 0)
        eventually(lambda: "got hello" in self.world.read("s"))
        self.assertEqual(self.world.info("s")["pid"], pid)
        self.assertTrue(alive(pid))

    def test_the_session_outlives_the_group_and_session_that_started_it(self):
        starter = self.world.helper(
            "sh", "-c", f"{self.world.binary} new -d --name child -- cat; echo done; sleep 1000", stdout=-1)
        self.assertEqual([starter.stdout.readline() for _ in range(2)], [b"child\n", b"done\n"])
        starter.stdout.close()
        os.killpg(starter.pid, signal.SIGKILL)
        starter.wait()
        self.world.must("send", "child", "--stdin", stdin=b"alive\n")
        eventually(lambda: "alive" in self.world.read("child"))


class Environment(Case):
    def test_umask_and_limits_are_those_of_the_one_who_started_it_and_signals_are_as_a_terminal_has_them(self):
        script = (f"umask 027; ulimit -n 333; trap '' USR1; exec {self.world.binary} new -d --name mine -- "
                  "sh -c 'umask > umask; ulimit -n > files; grep Sig /proc/self/status > signals; echo ready; cat'")
        self.assertEqual(self.world.helper("sh", "-c", script, stdout=-1).communicate()[0], b"mine\n")
        eventually(lambda: "ready" in self.world.read("mine"))
        self.assertEqual(self.world.work("umask").read_text().strip(), "0027")
        self.assertEqual(self.world.work("files").read_text().strip(), "333")
        signals = dict(line.split(":\t") for line in self.world.work("signals").read_text().splitlines())
        self.assertEqual(int(signals["SigBlk"], 16), 0)
        self.assertEqual(int(signals["SigIgn"], 16), 0)

    def test_what_the_program_is_given(self):
        self.world.start("env", "sh", "-c", "env -0 > env.out; umask > umask.out; ls /proc/self/fd > fds.out; "
                         "trap > traps.out; stty -a > stty.out; echo written; exec cat",
                         env={"TMUX": "x", "LINES": "1", "COLUMNS": "1", "HOLDFAST_SESSION": "outer", "CLAUDECODE": "1",
                              "KEPT": "yes"})
        eventually(lambda: "written" in self.world.read("env"))
        pairs = dict(p.split("=", 1) for p in self.world.work("env.out").read_text().split("\0") if p)
        info = self.world.info("env")
        self.assertEqual((pairs["HOLDFAST_SESSION"], pairs["HOLDFAST_NAME"]), (info["id"], "env"))
        self.assertEqual(pairs["HOLDFAST_SOCK"], self.world.socket_of("env"))
        self.assertEqual((pairs["COLORTERM"], pairs["KEPT"]), ("truecolor", "yes"))
        for scrubbed in ("TMUX", "LINES", "COLUMNS", "CLAUDECODE"):
            self.assertNotIn(scrubbed, pairs)
        self.assertEqual(set(self.world.work("fds.out").read_text().split()) - {"0", "1", "2", "3"}, set())
        self.assertIn("iutf8", self.world.work("stty.out").read_text())


if __name__ == "__main__":
    main()
