"""One real agent in a session: Claude Code, offline, against a model server on loopback.

The agent's pinned package comes from npm (tests/agents), without install scripts. It runs with a home of its own, a
made-up key, and no network but a loopback of its own.
"""

import fcntl
import json
import os
import pathlib
import platform
import re
import shutil
import socket
import struct
import subprocess
import sys

from engine import canonical, picture, row_text
from harness import Case, main
from process import PATIENCE, eventually

TESTS = pathlib.Path(__file__).resolve().parent.parent
# One copy (384 MB) for all builds, in the folder that `make clean` removes.
INSTALLED = TESTS.parent / "build/agents"
AGENT = INSTALLED / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
KEY = "sk-ant-api03-made-up-for-this-test"
DETACH = b"\x1c"
SIZES = ((100, 30), (120, 40), (80, 24))
CHANGING = re.compile(r"^✻|for shortcuts|/effort")
START = 120  # seconds an agent may take to its first picture on a loaded machine


def install():
    """Fetches the pinned package unless it is there. Gives the reason when it cannot be had."""
    if platform.machine() != "x86_64":
        return f"the pinned package is for x86_64, this is {platform.machine()}"
    lock = (TESTS / "agents/package-lock.json").read_bytes()
    if AGENT.exists() and (INSTALLED / "package-lock.json").read_bytes() == lock:
        return ""
    if not shutil.which("npm"):
        return "npm is not installed"
    shutil.rmtree(INSTALLED, ignore_errors=True)
    INSTALLED.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(TESTS / "agents" / name, INSTALLED)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    done = subprocess.run(command, cwd=INSTALLED, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(INSTALLED, ignore_errors=True)
        return f"npm cannot fetch it: {done.stderr.strip().splitlines()[-1:]}"
    return ""


def raise_loopback():
    """Switches the loopback of a fresh network namespace on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack_from("16sH", fcntl.ioctl(control, 0x8913, request))[1]       # SIOCGIFFLAGS
        fcntl.ioctl(control, 0x8914, struct.pack("16sH14x", b"lo", flags | 1))              # SIOCSIFFLAGS, IFF_UP


class ClaudeCode(Case):
    def setUp(self):
        super().setUp()
        server = self.world.helper("node", str(TESTS / "fake-model/server.mjs"), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        self.addCleanup(lambda: (server.stdin.close(), server.stdout.close()))
        port = int(server.stdout.readline())
        self.world.env |= {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": KEY, "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1",
        }

    def configure(self, screen, home="home"):
        """A home in which the agent starts without questions, and draws inline or on the full screen."""
        home, work = self.world.root / home, self.world.root / "work"
        (home / ".claude").mkdir(parents=True)
        (home / ".claude/settings.json").write_text(json.dumps({"tui": screen}))
        (home / ".claude.json").write_text(json.dumps({
            "hasCompletedOnboarding": True, "theme": "dark", "numStartups": 5,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(work): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }))
        return home

    def started(self, name):
        self.world.start(name, AGENT, "--permission-mode", "default", size=SIZES[0])
        terminal = self.world.terminal("attach", name, cols=SIZES[0][0], rows=SIZES[0][1])
        terminal.wait_for("for shortcuts", within=START)
        return terminal

    def ask(self, terminal, text, answer):
        terminal.type(text)
        terminal.wait_for(text)
        terminal.type("\r")
        terminal.wait_for(answer, within=START)

    def leave(self, terminal):
        terminal.type(DETACH)
        self.assertEqual(terminal.wait_exit(), 0, terminal)

    def observed(self, name, cols, rows):
        """What the session shows a client of its own size, from the shadow terminal alone."""
        watcher = self.world.peer(name)
        watcher.attach(cols, rows, observe=True)
        seen = picture(canonical(watcher.drawn(), cols, rows))
        watcher.close()
        return seen

    def steady(self, terminal):
        """Which screen, and its rows with all attributes.

        Without the rows that the agent chooses by dice or by the clock: how long it thought, hints below its prompt.
        """
        seen = terminal.canonical()
        rows = [row["c"] for row in seen["screen"] if not CHANGING.search(row_text(row))]
        return {"alt": seen["alt"], "rows": [row for row in rows if row]}

    def alone(self, screen, cols, rows):
        """The agent alone on a terminal of that size, told the same."""
        home = self.configure(screen, f"home-{cols}")
        term = self.world.manifest("agent")["term"]["TERM"]
        alone = self.world.plain(AGENT, "--permission-mode", "default", cols=cols, rows=rows, env={
            "HOME": str(home), "TERM": term, "COLORTERM": "truecolor", "TERM_PROGRAM": "ghostty",
            "TERM_PROGRAM_VERSION": "1.2.0"})
        alone.wait_for("for shortcuts", within=START)
        self.converse(alone)
        return alone

    def converse(self, terminal):
        self.ask(terminal, "say hello", "Hello from the fake model.")
        self.ask(terminal, "some markdown", "const a = 1")
        terminal.wait_for("done.")

    def prove(self, screen):
        self.configure(screen)
        terminal = self.started("agent")
        before = terminal.line_settings
        self.converse(terminal)
        self.leave(terminal)
        self.assertEqual(terminal.settings(), before)
        self.assertFalse(terminal.canonical()["alt"])
        for cols, rows in SIZES:
            with self.subTest(f"{cols}x{rows}"):
                again = self.world.terminal("attach", "agent", cols=cols, rows=rows)
                again.wait_for("done.", within=START)
                alone = self.alone(screen, cols, rows)
                again.wait_for(lambda: self.steady(again) == self.steady(alone), what=f"the agent alone:\n{alone}\n")
                alone.close()
                again.wait_for(lambda: again.picture() == self.observed("agent", cols, rows),
                               what="the picture of the shadow terminal")
                if cols == SIZES[1][0]:
                    again.kill()
                    again.wait_exit()
                else:
                    self.leave(again)
        last = self.world.terminal("attach", "agent", cols=80, rows=24)
        self.ask(last, "say hello again", "Hello from the fake model.")
        self.assertEqual(self.world.life("agent"), "running")

    def test_its_inline_screen_comes_back(self):
        self.prove("default")

    def test_its_full_screen_comes_back(self):
        self.prove("fullscreen")

    def test_what_it_does_while_nobody_looks_is_there_afterwards(self):
        self.configure("default")
        terminal = self.started("agent")
        terminal.type("slow")
        terminal.wait_for("slow")
        terminal.type("\r")
        terminal.wait_for("tick 3 of", within=START)
        terminal.kill()
        terminal.wait_exit()
        eventually(lambda: "tick 40 of forty." in self.world.read("agent"), within=START)
        again = self.world.terminal("attach", "agent", cols=SIZES[0][0], rows=SIZES[0][1])
        again.wait_for("tick 40 of forty.", within=PATIENCE)

    def test_its_exit_is_recorded_and_the_terminal_given_back(self):
        self.configure("fullscreen")
        terminal = self.started("agent")
        was = terminal.line_settings
        terminal.type("/exit")
        terminal.wait_for("/exit")
        terminal.type("\r")
        self.assertEqual(terminal.wait_exit(within=START), 0, terminal)
        self.assertEqual(self.world.info("agent")["exit_code"], 0)
        self.assertEqual(terminal.settings(), was)
        fresh = self.world.plain("true", cols=SIZES[0][0], rows=SIZES[0][1]).state()
        self.assert_same(fresh, terminal.state(), "a fresh terminal != after the agent")


if __name__ == "__main__":
    if "--in-its-own-network" in sys.argv:
        sys.argv.remove("--in-its-own-network")
        raise_loopback()
        main()
    else:
        why_not = install()
        if why_not:
            print(f"SKIPPED: the real agent cannot run here: {why_not}", file=sys.stderr)
            sys.exit(77)
        isolate = ["unshare", "--net"] if os.getuid() == 0 else ["unshare", "--map-current-user", "--net"]
        os.execvp("unshare", [*isolate, sys.executable, "-B", __file__, "--in-its-own-network", *sys.argv[1:]])
