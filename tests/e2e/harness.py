"""Private worlds for the end-to-end proofs.

A World is a home of its own (runtime, state, configuration and HOME in one temporary directory) in which `hold` runs as
a person would run it. Its random id stands in the environment of everything started in it, so that at the end every
process of the test is found, whatever it did to detach itself: a process, a socket or a file that is left is a failure.

Nothing here sleeps for a guess: everything waits for a condition, with a deadline.
"""

import contextlib
import json
import os
import pathlib
import secrets
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import process
from engine import HOLD, differences
from peer import Peer
from process import PATIENCE, TICK, eventually
from terminal import Terminal

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PYTHON = [sys.executable, "-BSI"]


def program(name, *args):
    """The command line of one of our helper programs (tests/e2e/programs)."""
    return [*PYTHON, str(PROGRAMS / name), *map(str, args)]


def seed():
    """The seed of this run: printed, and taken back from the variable SEED."""
    value = int(os.environ.get("SEED") or secrets.randbelow(1 << 32))
    print(f"SEED={value}", file=sys.stderr)
    return value


class Done:
    """What a finished `hold` said."""

    def __init__(self, argv, code, out, err, seconds):
        self.argv, self.code, self.out, self.err, self.seconds = argv, code, out, err, seconds

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")

    @property
    def complaint(self):
        return self.err.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"hold {self.argv} -> {self.code}\n--- out\n{self.text[-2000:]}\n--- err\n{self.complaint[-2000:]}"


class World:
    """A machine of its own, as far as `hold` can tell. `uid`: runs everything as that user instead of ours."""

    def __init__(self, config="", uid=None):
        self.id = secrets.token_hex(6)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix=f"hf-{self.id}-"))
        self.uid, self.binary = uid, HOLD
        self.terminals, self.peers, self.helpers = [], [], []
        for name in ("run", "state", "config/holdfast", "home", "work"):
            (self.root / name).mkdir(parents=True)
            (self.root / name).chmod(0o700)
        (self.root / "config/holdfast/config.toml").write_text(config)
        self.env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(self.root / "home"),
            "XDG_STATE_HOME": str(self.root / "state"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "HOLDFAST_RUNTIME_DIR": str(self.root / "run"),
            "HOLDFAST_TEST": self.id,
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
        }
        self.env.update({k: os.environ[k] for k in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if k in os.environ})
        if uid is not None:
            self._give_to(uid)

    def _give_to(self, uid):
        self.binary = str(self.root / "hold")  # a build directory may be closed to another user
        shutil.copy(HOLD, self.binary)
        os.chmod(self.binary, 0o755)
        for path in [self.root, *self.root.rglob("*")]:
            os.chown(path, uid, uid)

    # --- starting things ---

    def command(self, *args):
        as_user = []
        if self.uid is not None:
            as_user = ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"]
        return [*as_user, self.binary, *map(str, args)]

    def hold(self, *args, stdin=b"", within=PATIENCE, env=None, cwd=None):
        """Runs `hold ARGS` to its end, without a terminal."""
        started = time.monotonic()
        running = self.begin(*args, env=env, cwd=cwd)
        try:
            out, err = running.communicate(stdin, timeout=within)
        except subprocess.TimeoutExpired:
            running.kill()
            out, err = running.communicate()
            raise AssertionError(f"hold {args} did not end within {within} s\n{out[-2000:]}\n{err[-2000:]}") from None
        return Done(args, running.returncode, out, err, time.monotonic() - started)

    def begin(self, *args, env=None, cwd=None):
        """Starts `hold ARGS` without a terminal and does not wait."""
        return subprocess.Popen(self.command(*args), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**self.env, **(env or {})},
                                cwd=cwd or self.root / "work", start_new_session=True)

    def must(self, *args, **more):
        """Runs `hold ARGS`, which has to succeed."""
        done = self.hold(*args, **more)
        if done.code != 0:
            raise AssertionError(repr(done))
        return done

    def start(self, name, *argv, size=(80, 24), **more):
        """A detached session."""
        self.must("new", "-d", "--name", name, "--size", f"{size[0]}x{size[1]}", "--", *argv, **more)
        return name

    def helper(self, *argv, **more):
        """A process beside `hold`, ended with the world."""
        running = subprocess.Popen(argv, env=self.env, cwd=self.root / "work", start_new_session=True, **more)
        self.helpers.append(running)
        return running

    def plain(self, *argv, **more):
        """Any program alone on a terminal."""
        terminal = Terminal(self, list(map(str, argv)), **more)
        self.terminals.append(terminal)
        return terminal

    def terminal(self, *args, **more):
        """`hold ARGS` on a terminal."""
        return self.plain(*self.command(*args), **more)

    def peer(self, name, **more):
        peer = Peer(self.socket_of(name), **more)
        self.peers.append(peer)
        return peer

    @contextlib.contextmanager
    def halted_settings(self):
        """Whoever reads the configuration file waits at it, until the end of this."""
        path = self.root / "config/holdfast/config.toml"
        path.unlink()
        os.mkfifo(path)
        keep = os.open(path, os.O_RDWR)  # a reader gets on as soon as somebody writes, and sees the end when all have gone
        yield
        path.unlink()  # first: who has not come yet must not wait for a writer who has gone
        os.close(keep)
        path.write_text("")

    # --- looking ---

    def sessions(self):
        return self.must("ls", "--json").json()["sessions"]

    def info(self, name):
        return self.must("info", name, "--json").json()

    def life(self, name):
        return self.info(name)["life"]

    def read(self, name, *args):
        return self.must("read", name, *args).text

    def work(self, name):
        """A path in the world's working directory."""
        return self.root / "work" / name

    def manifests(self):
        """From the files alone: also of sessions that do not answer. Newest last."""
        found = []
        for path in sorted((self.root / "state/holdfast/sessions").glob("*/manifest.json")):
            with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                found.append(json.loads(path.read_text()))
        return found

    def manifest(self, name):
        return [m for m in self.manifests() if name in (m["name"], m["id"])][-1]

    def socket_of(self, name):
        return self.manifest(name)["runtime"]["socket"]

    def processes(self):
        """Process ids of everything started in this world that still lives."""
        return process.marked(self.id.encode())

    def keeper(self, name):
        wanted = ["hold-keeper", self.manifest(name)["id"]]

        def found():
            # While it starts another process, that one carries its name for a moment.
            pids = [p for p in self.processes() if process.argv(p)[:2] == wanted]
            return pids[0] if len(pids) == 1 else None
        return eventually(found, what=f"the keeper of {name}")

    def holder(self, name):
        return self._child(self.keeper(name), "hold-holder")

    def vtd(self, name):
        return self._child(self.holder(name), "hold-vtd")

    def _child(self, parent, verb):
        return eventually(lambda: next((c for c in process.children(parent) if process.argv(c)[:1] == [verb]), 0),
                          what=f"a {verb} below {parent}")

    def files_left(self):
        """What a world without sessions must not hold: sockets, session directories, names."""
        left = [p for p in (self.root / "run").rglob("*") if not p.is_dir()]
        for folder in ("sessions", "names"):
            left += [p for p in (self.root / "state/holdfast" / folder).glob("*") if p.name != ".lock"]
        return left

    def pump(self, timeout, also=-1):
        """Takes in what the terminals have to say: True if anything came within `timeout` seconds.

        Returns early when descriptor `also` becomes readable.
        """
        listening = {t.master: t for t in self.terminals if t.master >= 0 and not t.paused}
        wanted = [*listening, also] if also >= 0 else [*listening]
        ready, _, _ = select.select(wanted, [], [], max(0.0, timeout))
        return any([listening[fd].take() for fd in ready if fd in listening])

    # --- the end ---

    def clear(self):
        """Ends every session as a person would, then tells what is left: processes and files."""
        try:
            for thing in (*self.terminals, *self.peers):
                thing.close()
            for running in self.helpers:
                running.kill()
                running.wait()
            for session in self.sessions():
                verb = ["rm"] if session["life"] in ("exited", "lost") else ["kill", "--rm"]
                self.hold(*verb, session["id"])
            end = time.monotonic() + 5
            while (self.processes() or self.files_left()) and time.monotonic() < end:
                select.select([], [], [], TICK)
            return [f"{pid} {process.argv(pid)}" for pid in self.processes()] + list(map(str, self.files_left()))
        finally:
            self.destroy()

    def destroy(self):
        def gone():
            left = self.processes()
            for pid in left:
                process.kill_quietly(pid)
            return not left
        eventually(gone, 20, "the end of every process of the world")
        subprocess.run(["rm", "-rf", self.root], check=True)  # also paths longer than a call takes


class Case(unittest.TestCase):
    """A test with a world of its own, which must be empty when the test has ended its sessions."""

    maxDiff = None
    config = ""

    def setUp(self):
        self.world = World(self.config)
        self.addCleanup(self._empty)

    def _empty(self):
        self.assertEqual(self.world.clear(), [], "processes or files are left")

    def assert_same(self, first, second, what=""):
        """Equality of nested values, told by what differs."""
        if first != second:
            lines = differences(first, second)
            self.fail(f"{what}: {len(lines)} differences\n" + "\n".join(lines[:40]))

    def assert_refused(self, done, code, *words):
        """A sentence with these words on stderr, nothing on stdout, and this exit code."""
        self.assertEqual(done.code, code, done)
        for word in words:
            self.assertIn(word, done.complaint, done)
        self.assertEqual(done.out, b"", done)
        self.assertEqual(len(done.complaint.strip().splitlines()), 1, f"one sentence, not {done.complaint!r}")


def main():
    unittest.main(verbosity=2)
