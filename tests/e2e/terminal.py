"""The person's terminal: a PTY whose other side keeps every byte, and our own engine as the eyes."""

import errno
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

from engine import canonical, outer_state, picture, row_text, unwrapped
from process import PATIENCE, TICK, kill_quietly


class Terminal:
    """Runs a program on a PTY of its own and draws what it says.

    What the program asks of the terminal is answered as the engine answers, so a program alone on such a terminal and
    the same program in a session are told the same. `before` is what the terminal had drawn earlier: modes of the
    person's shell, a title. With `answers` off the terminal is mute.
    """

    _ASKS = re.compile(rb"\x1b\[[?>=]?[0-9;]*(?:[cnuqt]|\$p)|\x1b\][0-9;]*;?\?(?:\x07|\x1b\\)|\x1bP[+$]q")

    def __init__(self, world, argv, cols=80, rows=24, env=None, cwd=None, before=b"", answers=True):
        self.world, self.cols, self.rows = world, cols, rows
        self.started_size, self.resizes = (cols, rows), []
        self.received, self.before = bytearray(before), len(before)
        self.answers, self._answered, self._looked = answers, 0, len(before)
        self.paused = False
        self._seen = (None, None)
        self.master, self.slave = os.openpty()
        os.set_blocking(self.master, False)
        self._set_size()
        settings = termios.tcgetattr(self.slave)
        settings[6][termios.VWERASE] = b"\x15"  # unlike any default: these very settings must come back
        termios.tcsetattr(self.slave, termios.TCSANOW, settings)
        self.line_settings = termios.tcgetattr(self.slave)
        if before and answers:
            self._answered = len(self._replies())
        self.process = subprocess.Popen(argv, stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                        preexec_fn=_lead_this_terminal, env={**world.env, **(env or {})},
                                        cwd=cwd or world.root / "work")
        self.pid = self.process.pid

    def _set_size(self):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.cols, 0, 0))

    # --- what a person does ---

    def type(self, data):
        data = data.encode() if isinstance(data, str) else data
        while data:
            try:
                data = data[os.write(self.master, data):]
            except BlockingIOError:
                self.world.pump(0)
                select.select([], [self.master], [], TICK)

    def resize(self, cols, rows):
        self.take()
        self.resizes.append((len(self.received), cols, rows))
        self.cols, self.rows = cols, rows
        self._set_size()

    def kill(self, number=signal.SIGKILL):
        kill_quietly(self.pid, number)

    def hang_up(self):
        """Closes the window: the kernel hangs up on the program."""
        self.take()
        self._close_descriptors()

    # --- what it draws ---

    def take(self):
        """Reads what has come: True if there was anything."""
        came = False
        while self.master >= 0:
            try:
                data = os.read(self.master, 65536)
            except BlockingIOError:
                break
            except OSError as e:
                if e.errno != errno.EIO:
                    raise
                break
            self.received += data
            came = True
        if came and self.answers:
            self._answer()
        return came

    def _answer(self):
        begin = max(self.before, self._looked - 64)
        self._looked = len(self.received)
        if self._ASKS.search(self.received, begin):
            replies = self._replies()
            fresh, self._answered = replies[self._answered:], len(replies)
            self.type(fresh)

    def _replies(self):
        return self.canonical()["responses"].encode("latin-1")

    def wait_for(self, condition, within=PATIENCE, what=None):
        """Until these bytes came, this text stands on the screen, or the callable gives something true."""
        if isinstance(condition, bytes):
            wanted, condition = condition, lambda: wanted in self.received
            what = what or repr(wanted)
        elif isinstance(condition, str):
            text, condition = condition, lambda: text in self.text()
            what = what or f"{text!r} on the screen"
        end = time.monotonic() + within
        while True:
            while self.world.pump(0) and time.monotonic() < end:
                pass
            value = condition()
            if value:
                return value
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"{what or 'the condition'} did not come within {within} s\n{self}")
            self.world.pump(min(left, 0.05))

    def is_taken(self):
        """True while keys go to the program one by one and raise no signals."""
        return not self.settings()[3] & (termios.ICANON | termios.ECHO | termios.ISIG)

    def wait_exit(self, within=PATIENCE):
        """The program's exit code (negative: signal), once all it wrote is here."""
        ended = os.pidfd_open(self.pid)
        end = time.monotonic() + within
        try:
            while not select.select([ended], [], [], 0)[0]:
                if time.monotonic() > end:
                    raise AssertionError(f"the program did not end within {within} s\n{self}")
                self.world.pump(0.05, ended)
        finally:
            os.close(ended)
        self.take()
        return self.process.wait()

    def wait_stopped(self, pid, within=PATIENCE):
        """Until a process of this terminal is stopped by job control."""
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            def stopped():
                stat.seek(0)
                return stat.read().rsplit(")", 1)[1].split()[0] == "T"
            self.wait_for(stopped, within, f"the stop of {pid}")

    def close(self):
        if self.process.poll() is None:
            self.kill(signal.SIGCONT)
            self.kill()
        self.process.wait()
        self._close_descriptors()

    def _close_descriptors(self):
        if self.master >= 0:
            os.close(self.slave)
            os.close(self.master)
        self.master = self.slave = -1

    # --- what is to be seen ---

    @property
    def fresh(self):
        """The bytes of the program alone."""
        return bytes(self.received[self.before:])

    def canonical(self):
        key = (len(self.received), len(self.resizes))
        if self._seen[0] != key:
            self._seen = (key, canonical(self.received, *self.started_size, self.resizes))
        return self._seen[1]

    def picture(self):
        return picture(self.canonical())

    def lines(self):
        return [row_text(row) for row in self.canonical()["screen"]]

    def text(self):
        return "\n".join(self.lines())

    def sentences(self):
        """The screen's words, one blank between them: rows joined that the terminal or `hold` wrapped."""
        return " ".join(unwrapped(self.canonical()["screen"]).split())

    def history(self):
        """The rows above the screen, oldest first, as text."""
        return [row_text(row) for row in self.canonical()["scrollback"]]

    def mode(self, number):
        """Whether a private mode is set."""
        return bool(self.canonical()["modes"][f"?{number}"])

    def state(self):
        return outer_state(self.canonical())

    def settings(self):
        return termios.tcgetattr(self.slave)

    def __str__(self):
        return (f"{self.process.args} at {self.cols}x{self.rows}, exit {self.process.poll()}; screen:\n"
                + "\n".join("|" + line for line in self.lines()) + f"\nlast bytes: {bytes(self.received[-400:])!r}")


def _lead_this_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
