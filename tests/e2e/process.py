"""What /proc says of a process, and waiting with a deadline."""

import os
import pathlib
import select
import signal
import time

SANITIZED = os.environ.get("HOLDFAST_SANITIZED", "0") not in ("", "0", "OFF", "FALSE")
# Seconds. How long a condition may take before it counts as never: generous, because the machine may be loaded.
PATIENCE = 60 if SANITIZED else 20
# Seconds between two looks at a condition that no descriptor announces.
TICK = 0.01


def eventually(condition, within=PATIENCE, what="the condition"):
    """Looks until `condition()` is true and gives its value. Fails after `within` seconds."""
    end = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come true within {within} s (last: {value!r})")
        select.select([], [], [], TICK)


def _stat(pid):
    """Fields of /proc/PID/stat from the state letter on."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return text[text.rindex(")") + 2:].split()


def state(pid):
    """State letter, "" when there is no such process. A dead one that nobody has reaped is none."""
    try:
        letter = _stat(pid)[0]
    except OSError:
        return ""
    return "" if letter in "ZX" else letter


def alive(pid):
    return state(pid) != ""


def cpu_seconds(pid):
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children(pid):
    found = []
    try:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    except OSError:
        pass
    return [child for child in found if alive(child)]


def argv(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")[:-1]
    except OSError:
        return []


def memory_bytes(pid):
    """Resident bytes, the touched pages of shared memfds included."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def send(pid, number=signal.SIGKILL):
    """A signal to one process. A number that is none would hit our own group."""
    if pid <= 1:
        raise AssertionError(f"{pid} is no process of a test")
    os.kill(pid, number)


def kill_quietly(pid, number=signal.SIGKILL):
    try:
        send(pid, number)
    except ProcessLookupError:
        pass


def marked(mark):
    """Process ids whose environment holds `mark`."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                environment = pathlib.Path(f"/proc/{entry}/environ").read_bytes()
            except OSError:
                continue
            if mark in environment and alive(int(entry)):
                found.append(int(entry))
    return found
