"""Somebody cleans up: sockets, records and whole directories vanish while their sessions run, and come back."""

import fcntl
import pathlib
import random
import select
import shutil
import signal
import socket
import time

from harness import Case, main, seed
from process import SANITIZED, eventually, send


class Cleaner(Case):
    def setUp(self):
        super().setUp()
        self.world.start("s", "sh", "-c", "echo READY; exec cat")
        eventually(lambda: "READY" in self.world.read("s"))
        self.identity = self.world.info("s")["id"]
        self.pid = self.world.info("s")["pid"]
        self.socket = pathlib.Path(self.world.socket_of("s"))
        self.record = self.world.root / "state/holdfast/sessions" / self.identity

    def assert_all_there(self):
        """The same session, in every way it can be asked for."""
        listed = {s["name"]: (s["life"], s["pid"]) for s in self.world.sessions()}
        self.assertEqual(listed, {"s": ("running", self.pid)})
        self.assertIn("READY", self.world.read("s"))
        self.world.must("send", "s", "typed", "--enter")
        eventually(lambda: "typed" in self.world.read("s"))

    def assert_attaches(self):
        terminal = self.world.terminal("attach", "s")
        terminal.wait_for("READY")
        terminal.type(b"\x1c")
        self.assertEqual(terminal.wait_exit(), 0, terminal)

    def remove_record(self):
        shutil.rmtree(self.record)

    # --- the socket ---

    def test_a_removed_socket_is_made_anew_by_ls(self):
        self.socket.unlink()
        self.assertEqual([s["life"] for s in self.world.sessions()], ["running"])
        self.assert_all_there()
        self.assertEqual(self.socket.stat().st_mode & 0o777, 0o600)

    def test_a_removed_socket_is_made_anew_by_attach(self):
        self.socket.unlink()
        self.assert_attaches()

    def test_a_removed_socket_is_made_anew_by_kill(self):
        self.socket.unlink()
        self.assertIn("ended, removed", self.world.must("kill", "--rm", "s").text)

    def test_a_removed_socket_of_an_ended_session_is_made_anew_for_its_screen(self):
        self.world.must("kill", "s")
        self.socket.unlink()
        self.assertIn("READY", self.world.read("s"))
        self.socket.unlink()
        self.world.must("rm", "s")

    def test_attached_clients_notice_nothing(self):
        client = self.world.peer("s")
        client.attach()
        self.socket.unlink()
        self.assertEqual(self.world.info("s")["clients"], 1)
        client.type("still here\r")
        client.until(lambda: b"still here" in client.drawn())

    def test_a_removed_runtime_directory_is_made_anew(self):
        for verb in (["ls"], ["read", "s"], ["info", "s"]):
            shutil.rmtree(self.world.root / "run")
            self.world.must(*verb)
        self.assert_all_there()
        shutil.rmtree(self.world.root / "run")
        self.assert_attaches()
        shutil.rmtree(self.world.root / "run")
        self.world.must("kill", "s")
        self.assertEqual((self.world.root / "run").stat().st_mode & 0o777, 0o700)

    def test_the_new_socket_is_the_keepers_too(self):
        for _ in range(3):
            self.socket.unlink()
            self.assert_all_there()
        holder = self.world.holder("s")
        send(holder)
        eventually(lambda: self.world.holder("s") != holder)
        self.assertIn("READY", self.world.read("s"))
        self.assertEqual(self.world.info("s")["pid"], self.pid)

    def test_a_socket_that_goes_while_the_holder_is_dead_is_made_by_the_next_one(self):
        keeper, holder = self.world.keeper("s"), self.world.holder("s")
        send(keeper, signal.SIGSTOP)
        send(holder)
        shutil.rmtree(self.world.root / "run")
        send(keeper, signal.SIGCONT)
        eventually(self.socket.exists)
        self.assertIn("READY", self.world.read("s"))

    def test_where_it_cannot_be_made_anew_the_message_says_so(self):
        shutil.rmtree(self.world.root / "run")
        (self.world.root / "run").write_text("in the way")
        holder = str(self.world.holder("s"))
        try:
            self.assert_refused(self.world.hold("kill", "s"), 1, "'s'", str(self.socket), holder, "holder.log")
            done = self.world.must("ls")
            self.assertIn("not responding", done.text)
            self.assertIn("holder.log", done.complaint)
        finally:
            (self.world.root / "run").unlink()
        self.assert_all_there()

    # --- the record ---

    def test_a_removed_record_is_made_anew_by_ls(self):
        self.remove_record()
        self.assert_all_there()
        manifest = self.world.manifest("s")
        self.assertEqual((manifest["id"], manifest["name"], manifest["status"]["life"]), (self.identity, "s", "running"))
        self.assertEqual(manifest["agent"]["argv"][0], "sh")
        self.assertEqual(self.record.stat().st_mode & 0o777, 0o700)

    def test_a_removed_record_is_made_anew_by_name_and_by_id(self):
        for handle in ("s", self.identity, "s"):
            self.remove_record()
            self.assertEqual(self.world.info(handle)["pid"], self.pid)
        self.remove_record()
        self.world.must("kill", "--rm", "s")

    def test_the_whole_state_comes_back(self):
        shutil.rmtree(self.world.root / "state")
        self.assert_all_there()
        self.assertEqual((self.world.root / "state/holdfast/names/s").read_text().strip(), self.identity)

    def test_the_name_comes_back_when_a_start_that_had_the_names_is_over(self):
        shutil.rmtree(self.world.root / "state")
        names = self.world.root / "state/holdfast/names"
        for directory in (names, names.parent / "sessions"):
            directory.mkdir(mode=0o700, parents=True)
        # A socket without a record tells `ls` of the session.
        with open(names / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertEqual([s["life"] for s in self.world.sessions()], ["running"])
            self.assertFalse((names / "s").exists())
            # The holder waits for no lock: it answers meanwhile.
            self.assertEqual(self.world.info(self.identity)["pid"], self.pid)
        eventually((names / "s").exists)
        self.assert_all_there()

    def test_the_name_of_a_session_without_a_record_is_still_taken(self):
        self.remove_record()
        self.assert_refused(self.world.hold("new", "-d", "--name", "s", "--", "cat"), 6, "'s'")
        self.assert_all_there()

    def test_the_new_record_stays_locked_when_the_holder_dies(self):
        self.remove_record()
        self.assert_all_there()
        keeper, holder = self.world.keeper("s"), self.world.holder("s")
        send(keeper, signal.SIGSTOP)
        try:
            send(holder)
            self.assert_refused(self.world.hold("rm", "s"), 4, "'s'", "keeper")
        finally:
            send(keeper, signal.SIGCONT)
        eventually(lambda: self.world.life("s") == "running")
        self.assertEqual(self.world.manifest("s")["agent"]["argv"][0], "sh")

    def test_a_removed_lock_or_manifest_is_made_anew(self):
        for name in ("lock", "manifest.json", "lock"):
            (self.record / name).unlink()
            self.assert_all_there()
            self.assertTrue((self.record / name).exists())
            (self.record / name).unlink()
            self.assertIn("READY", self.world.read("s"))

    def test_a_session_that_ends_without_a_record_writes_its_end_down(self):
        self.remove_record()
        send(self.pid)
        eventually(lambda: self.world.manifests() and self.world.manifest("s")["status"]["life"] == "exited")
        self.assertEqual(self.world.info("s")["exit_signal"], 9)

    def test_everything_at_once(self):
        shutil.rmtree(self.world.root / "run")
        self.remove_record()
        self.assert_all_there()


class CutShort(Case):
    """What a start or a removal leaves that was ended in its middle."""

    def test_ls_sweeps_a_directory_with_only_a_free_lock_and_its_name_and_socket(self):
        self.world.start("whole", "cat")
        identity = "01m8" + "0" * 22
        state, sockets = self.world.root / "state/holdfast", self.world.root / "run/s"
        (state / "sessions" / identity).mkdir(mode=0o700)
        (state / "sessions" / identity / "lock").touch(mode=0o600)
        (state / "names/half").write_text(identity + "\n")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(sockets / f"{identity}.sock"))
        self.assertEqual([s["name"] for s in self.world.sessions()], ["whole"])
        left = [*state.rglob(identity), *state.rglob("half"), *sockets.glob(identity + "*")]
        self.assertEqual(left, [])
        self.assertEqual(self.world.life("whole"), "running")

    def test_a_start_that_is_under_way_is_left_alone(self):
        identity = "01m8" + "0" * 22
        self.world.start("whole", "cat")
        record = self.world.root / "state/holdfast/sessions" / identity
        record.mkdir(mode=0o700)
        with open(record / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lives = {s["id"]: s["life"] for s in self.world.sessions()}
            self.assertEqual(lives[identity], "starting")
            self.assertTrue((record / "lock").exists())
        self.assertNotIn(identity, [s["id"] for s in self.world.sessions()])
        self.assertFalse(record.exists())

    def test_a_hold_new_that_is_killed_at_any_moment_leaves_nothing_that_stays(self):
        dice = random.Random(seed())
        for _ in range(10 if SANITIZED else 40):
            starting = self.world.begin("new", "-d", "--name", "s", "--", "cat")
            select.select([], [], [], dice.random() * 0.02)
            starting.kill()
            starting.communicate()

            def settled():
                found = [s for s in self.world.sessions() if s["life"] not in ("exited", "lost")]
                return all(s["life"] == "running" for s in found)
            eventually(settled, what="an end of the start")
            self.world.hold("kill", "--rm", "s")
            for session in self.world.sessions():
                self.world.hold("rm", session["id"])
            eventually(lambda: not self.world.sessions())
        self.assertEqual(self.world.files_left(), [])


class Silence(Case):
    def test_a_stopped_holder_is_named_and_what_helps_is_said(self):
        self.world.start("s", "cat")
        holder = self.world.holder("s")
        send(holder, signal.SIGSTOP)
        try:
            for verb in (["kill", "s"], ["detach", "s"], ["read", "s"], ["send", "s", "x"], ["rm", "s"]):
                done = self.world.hold(*verb)
                self.assert_refused(done, 4, "'s'", "stopped", f"kill -CONT {holder}")
            self.assertLess(self.world.hold("kill", "s").seconds, 3)
            done = self.world.must("ls")
            self.assertIn(f"kill -CONT {holder}", done.complaint)
            self.assertIn(f"kill -CONT {holder}", self.world.info("s")["reason"])
            for verb in (["attach", "s"], ["attach", "--create", "s"]):
                begun = time.monotonic()
                terminal = self.world.terminal(*verb)
                self.assertEqual(terminal.wait_exit(), 4, terminal)
                self.assertLess(time.monotonic() - begun, 3, "named at once")
                self.assertIn(f"kill -CONT {holder}", terminal.sentences())
        finally:
            send(holder, signal.SIGCONT)
        eventually(lambda: self.world.life("s") == "running")


if __name__ == "__main__":
    main()
