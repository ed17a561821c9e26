#!/usr/bin/env python3
"""make demo: a session survives the death of its terminal, before your eyes. demo.py HOLD

Runs vim in a session, kills the terminal it was started from, attaches from a new one, and compares the two screens cell by cell.
Uses a state directory of its own: your sessions are not touched, and nothing is left behind.
"""
import json
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import time
from fcntl import ioctl
from pathlib import Path

ROWS = 12                     # of the terminals shown
COLS_MIN, COLS_MAX = 30, 96
QUIET_S, PATIENCE_S = 0.4, 15
LIST_INDENT = "   "
NAME = "demo"
NOTES = """\
things to do

  [x] start a long build
  [ ] close the lid, go home
  [ ] come back to it
"""
TYPED = "typed here, and never saved"
KEYS = f":set number\rGo\r{TYPED}"
INSERTING = "-- INSERT --"  # vim is in the middle of it

COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") not in (None, "", "dumb")


def paint(code, text):
    return f"\x1b[{code}m{text}\x1b[m" if COLOUR else text


def width():
    return shutil.get_terminal_size((80, 24)).columns


def say(text):
    for line in textwrap.wrap(text, min(width(), 100) - 1):
        print(line)


def step(number, text):
    print()
    lines = textwrap.wrap(text, min(width(), 100) - 4)
    print(paint("1", f"{number}  {lines[0]}"))
    for line in lines[1:]:
        print(paint("1", f"   {line}"))


def command(words):
    print(paint("36", "   $ " + words), flush=True)


class DemoFailed(Exception):
    pass


# A terminal of its own: a process that holds a PTY's master, passes on what the program writes, and may be killed like one.
TERMINAL = """
import os, pty, struct, sys, termios
from fcntl import ioctl
rows, cols = int(sys.argv[1]), int(sys.argv[2])
pid, master = pty.fork()
if pid == 0:
    ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
if os.fork() == 0:
    while True:
        try: os.write(1, os.read(master, 65536) or os._exit(0))
        except OSError: os._exit(0)
while True:
    keys = os.read(0, 4096)
    if not keys: break
    os.write(master, keys)
"""


class Terminal:
    def __init__(self, env, directory, cols, argv):
        self.cols, self.bytes = cols, b""
        self.process = subprocess.Popen([sys.executable, "-c", TERMINAL, str(ROWS), str(cols), *argv], env=env, cwd=directory,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        start_new_session=True)

    def type(self, keys):
        self.process.stdin.write(keys.encode())
        self.process.stdin.flush()

    def read_until_quiet(self):
        while select.select([self.process.stdout], [], [], QUIET_S)[0]:
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                return
            self.bytes += more

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)  # all of the terminal; the client on its PTY is in a session of its own
        self.process.wait()


class Demo:
    def __init__(self, hold, directory):
        self.hold, self.directory = hold, directory
        self.cols = max(COLS_MIN, min(COLS_MAX, width() - 4))
        self.env = {key: value for key, value in os.environ.items() if not key.startswith(("HOLDFAST_", "TMUX", "XDG_"))}
        self.env.update(HOLDFAST_RUNTIME_DIR=f"{directory}/r", XDG_STATE_HOME=f"{directory}/state", XDG_CONFIG_HOME=f"{directory}/config",
                        TERM="xterm-256color", LANG="C.UTF-8", LC_ALL="C.UTF-8", HOLDFAST_DEMO=directory,
                        # Not the person's own settings; and no question about colours, which this mute terminal leaves to the
                        # session to answer when it is gone: the screen would change in between.
                        VIMINIT="set nocompatible viminfo= noswapfile t_RB= t_RF=")

    def run(self, *words, **kwargs):
        return subprocess.run([self.hold, *words], env=self.env, capture_output=True, timeout=PATIENCE_S, **kwargs)

    def screen(self, terminal):
        """What the terminal shows, by the engine of hold: canonical, with cursor and modes."""
        run = self.run("debug", "vt", "--cols", str(terminal.cols), "--rows", str(ROWS), input=terminal.bytes)
        if run.returncode != 0:
            raise DemoFailed("'hold debug vt' failed: " + run.stderr.decode(errors="replace").strip())
        return json.loads(run.stdout)

    def wait_for_screen(self, terminal, text):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            terminal.read_until_quiet()
            screen = self.screen(terminal)
            if text in "\n".join(map(row_text, screen["screen"])):
                return screen
        raise DemoFailed(f"the screen did not show {text!r} within {PATIENCE_S} s")

    def wait_until_detached(self):
        """The session notices a terminal's death when the kernel tells it: soon, not at once."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            info = self.run("info", NAME, "--json")
            if info.returncode == 0 and json.loads(info.stdout)["clients"] == 0:
                return
            time.sleep(0.02)
        raise DemoFailed(f"the session did not notice the death of its terminal within {PATIENCE_S} s")

    def show(self, screen):
        bar = "─" * self.cols
        print(f" ┌{bar}┐")
        for row in screen["screen"]:
            print(f" │{row_text(row).ljust(self.cols)[:self.cols]}│")
        print(f" └{bar}┘", flush=True)

    def list(self):
        """`hold ls` as this person's terminal would show it, indented."""
        master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width() - len(LIST_INDENT), 0, 0))
        env = self.env if COLOUR else dict(self.env, NO_COLOR="1", TERM="dumb")
        subprocess.run([self.hold, "ls"], env=env, stdin=slave, stdout=slave, stderr=slave, timeout=PATIENCE_S)
        os.close(slave)
        text = b""
        while True:
            try:
                more = os.read(master, 65536)
            except OSError:
                break
            if not more:
                break
            text += more
        os.close(master)
        return textwrap.indent(text.decode(errors="replace").replace("\r\n", "\n").strip("\n"), LIST_INDENT)

    def play(self):
        (Path(self.directory) / "notes.txt").write_text(NOTES)
        step(1, "A terminal starts vim in a session, and somebody types into it.")
        command(f"hold new --name {NAME} -- vim notes.txt")
        first = Terminal(self.env, self.directory, self.cols, [self.hold, "new", "--name", NAME, "--", "vim", "notes.txt"])
        self.wait_for_screen(first, "come back to it")
        first.type(KEYS)
        before = self.wait_for_screen(first, INSERTING)
        self.show(before)

        step(2, f"The terminal is killed: SIGKILL to process {first.process.pid}. Nobody said goodbye.")
        first.kill()
        command("hold ls")
        self.wait_until_detached()
        print(self.list())

        step(3, "A new terminal attaches.")
        command(f"hold attach {NAME}")
        second = Terminal(self.env, self.directory, self.cols, [self.hold, "attach", NAME])
        after = self.wait_for_screen(second, INSERTING)
        self.show(after)
        differences = [part for part in ("screen", "cursor", "alt", "modes") if before[part] != after[part]]
        if differences:
            raise DemoFailed("the restored screen differs from the one before in: " + ", ".join(differences))
        say(paint("32", "The same: every cell, its colours, the cursor, the modes, and the text nobody saved."))
        self.run("detach", NAME)
        second.kill()

    def clean_up(self):
        """Ends the session the way a person would; what should still be there afterwards is a fault, and is ended too."""
        try:
            self.run("kill", "--rm", NAME)
        except (OSError, subprocess.SubprocessError):
            pass
        end = time.monotonic() + PATIENCE_S
        while (left := self.left_over()) and time.monotonic() < end:
            time.sleep(0.05)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        return left

    def left_over(self):
        mark = f"HOLDFAST_DEMO={self.directory}".encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    found.append(int(pid))
            except OSError:
                pass
        return found


def row_text(row):
    text, x = "", 0
    for column, cell, cells in ((cell[0], cell[1], cell[2]) for cell in row["c"]):
        text += " " * (column - x) + (cell or " ")
        x = column + cells
    return text


def main():
    hold = os.path.abspath(sys.argv[1])
    print()
    say("A session of hold outlives its terminal. Watch.")
    with tempfile.TemporaryDirectory(prefix="hold-demo-") as directory:
        demo = Demo(hold, directory)
        try:
            demo.play()
        except (DemoFailed, subprocess.SubprocessError, OSError) as error:
            demo.clean_up()
            print(f"\nmake demo: {error}", file=sys.stderr)
            return 1
        if left := demo.clean_up():
            print(f"\nmake demo: these processes outlived their session: {left}", file=sys.stderr)
            return 1
    shown = os.path.relpath(hold)
    print()
    say("Everything is cleaned up. Now yours:")
    print(f"  {shown} new       # leave it: Ctrl-\\")
    print(f"  {shown} ls        # what runs")
    print(f"  {shown} attach    # back again")
    return 0


if __name__ == "__main__":
    sys.exit(main())
