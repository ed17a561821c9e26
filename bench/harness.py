"""The measurements of the side-by-side benchmark. Each runs one sample of one peer and returns a dict; see README.md."""
import atexit
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

from adapters import HOLD, MXB, PEERS

KEPT = ("PATH", "USER", "LOGNAME", "HOME")
BASE_ENV = {key: os.environ[key] for key in KEPT if key in os.environ}
BASE_ENV.update(TERM="xterm-256color", LANG="C.UTF-8", LC_ALL="C.UTF-8", COLORTERM="truecolor", SHELL="/bin/sh")
QUIET_CORES = float(os.environ.get("MXB_QUIET", "0.3"))   # what others may use before a sample begins
QUIET_WAIT_S = float(os.environ.get("MXB_MAXWAIT", "5"))  # how long to wait for that
runs = 0


class Run:
    """A fresh scratch directory and environment mark for one peer; everything it started is gone after close()."""

    def __init__(self, name):
        global runs
        runs += 1
        self.d = tempfile.mkdtemp(prefix="mxb.", dir="/tmp")
        self.id = f"{os.getpid()}_{runs}"
        self.peer = PEERS[name](self.d)
        self.env = dict(BASE_ENV, MXB_RUN=self.id)
        self.env.update(self.peer.env())
        self.children = []
        self.sockets = 0

    def __enter__(self):
        return self

    def control(self):
        self.sockets += 1
        return f"{self.d}/c{self.sockets}"

    def popen(self, argv):
        child = subprocess.Popen(argv, env=self.env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.children.append(child)
        return child

    def create(self, session, prog):
        subprocess.run(self.peer.create(session, prog), env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=20, start_new_session=True)

    def driver(self, argv, session=None, prog=None, timeout=150):
        """Starts mxb, then the session its program belongs to; returns the object mxb printed."""
        child = self.popen([MXB, *argv])
        if session is not None:
            self.create(session, prog)
        try:
            out, _ = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            return {"error": "the driver did not end"}
        return last_object(out)

    def keeper(self, want, prog_of, sessions):
        """Sessions kept alive by one control socket: returns the process that keeps them."""
        control = self.control()
        child = self.popen([MXB, "hold", "--want", str(want), "--ctl", control, "--timeout", "120"])
        child.stdout.readline()
        for session in sessions:
            self.create(session, prog_of(control))
        child.up = int((child.stdout.readline().split() or ["up", "0"])[1])
        return child

    def ask(self, child, words):
        child.stdin.write(words + "\n")
        child.stdin.flush()
        child.stdout.readline()

    def marked(self):
        needle = ("MXB_RUN=" + self.id + "\0").encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as environ:
                    if needle in environ.read() + b"\0":
                        yield int(pid)
            except OSError:
                pass

    def processes(self):
        """Pids of the peer's processes: those with our mark that are not our program or driver."""
        found = set()
        for pid in self.marked():
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as cmdline:
                    words = cmdline.read()
                ours = os.path.realpath(f"/proc/{pid}/exe") == MXB
                if not ours or b"\0relay" in words:
                    found.add(pid)
            except OSError:
                pass
        return found

    def __exit__(self, *_):
        for child in self.children:
            for stream in (child.stdin, child.stdout):
                try:
                    stream.close()
                except OSError:
                    pass
            try:
                child.wait(3)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self.peer.cleanup()
        time.sleep(0.05)
        for _ in range(3):  # a keeper may start another holder in between
            for pid in self.marked():
                if pid != os.getpid():
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except OSError:
                        pass
            time.sleep(0.02)
        # Not now: ext4 makes files more slowly for a minute after many were removed, and the next peer would pay for that.
        atexit.register(shutil.rmtree, self.d, ignore_errors=True)


def last_object(text):
    for line in reversed((text or "").strip().splitlines()):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                pass
    return {"error": (text or "nothing printed")[-200:]}


# ---------------------------------------------------------------- the measurements

MODES = {"attached": (1, 0), "detached": (0, 0), "stalled": (0, 1), "clients3": (3, 0)}


def throughput(name, kind="ascii", mb=16, mode="attached", timeout=90):
    """MB/s from the program's first write to the end marker at the slowest client; detached: until all is taken in."""
    with Run(name) as run:
        clients, stalled = MODES[mode]
        control = run.control()
        prog = [MXB, "prog", "flood", "--ctl", control, "--kind", kind, "--bytes", str(mb << 20)]
        argv = ["tp", "--ctl", control, "--clients", str(clients), "--stalled", str(stalled), "--timeout", str(timeout)]
        if run.peer.raw:
            return rates(run.driver([*argv, "--raw", "--", *prog]))
        if mode == "detached":
            argv.append("--preattach")
            if run.peer.caught_up("s"):
                argv += ["--caught-up", "\x1f".join(run.peer.caught_up("s"))]
        return rates(run.driver([*argv, "--", *run.peer.attach("s")], "s", prog, timeout + 60))


def rates(sample):
    if "error" in sample or sample["timeout"]:
        return {"error": sample.get("error", "timeout")}
    if sample["marker_lost"]:
        return {"error": "a client never saw the end of the output"}
    mb = sample["bytes"] / 1e6
    return dict(sample, mb_s=mb / sample["end_s"], cpu_ms_mb=(sample["server_cpu_s"] + sample["client_cpu_s"]) * 1e3 / mb,
                delivered=min(sample["clients"]) / sample["bytes"] if sample["clients"] else 0.0)


def echo(name, n=500, load=False):
    """Microseconds from a key to its echo; with load, another session of the same peer floods, detached."""
    with Run(name) as run:
        control = run.control()
        prog = [MXB, "prog", "echo", "--ctl", control]
        argv = ["echo", "--ctl", control, "--n", str(n)]
        flood = lambda control: [MXB, "prog", "floodforever", "--ctl", control]
        if load and not run.peer.raw:
            run.ask(run.keeper(1, flood, ["bg"]), "go")
        if run.peer.raw:
            return run.driver([*argv, "--raw", "--", *prog])
        return run.driver([*argv, "--", *run.peer.attach("s")], "s", prog)


def attach(name, lines=0, reps=3):
    """Milliseconds from exec of attach to the last byte, with `lines` of history above a full screen."""
    with Run(name) as run:
        control = run.control()
        prog = [MXB, "prog", "fill", "--ctl", control, "--lines", str(lines)] + ([] if run.peer.restores else ["--winch"])
        sample = run.driver(["attach", "--ctl", control, "--reps", str(reps), "--", *run.peer.attach("s")], "s", prog)
        if "runs" not in sample:
            return sample
        return {key: statistics.median(r[key] for r in sample["runs"]) for key in ("mark_ms", "last_ms", "bytes", "detach_ms")}


def life(name):
    """The first session of a peer: exec of create to the program's main; kill to its end."""
    with Run(name) as run:
        control = run.control()
        prog = [MXB, "prog", "idle", "--ctl", control]
        raw = ["--raw"] if run.peer.raw else []
        return run.driver(["life", "--ctl", control, *raw, "--", *run.peer.create("s", prog), "::", *(run.peer.kill("s") or [])])


def hundred(name, count=100, reps=7, idle_s=10):
    """`count` sessions that have each printed one screen: memory, wake-ups, time of the list; then with one server stopped."""
    with Run(name) as run:
        prog = lambda control: [MXB, "prog", "fill", "--ctl", control]
        keeper = run.keeper(count, prog, [f"n{i}" for i in range(count)])
        time.sleep(1)
        pids = run.processes()
        out = {"up": keeper.up, "processes": len(pids), "kib_per_session": memory_kib(pids) / count}
        before = sum(map(sleeps, pids))
        time.sleep(idle_s)
        out["wakeups_s"] = (sum(map(sleeps, pids)) - before) / idle_s
        if run.peer.list():
            timed = lambda: last_object(subprocess.run([MXB, "timecmd", "--reps", str(reps), "--", *run.peer.list()], env=run.env,
                                                       stdout=subprocess.PIPE, text=True).stdout)["ms"]
            out["list_ms"] = statistics.median(timed())
            stopped = holder_of(pids) if name == "hold" else None
            if stopped:
                os.kill(stopped, signal.SIGSTOP)
                out["list_stopped_ms"] = statistics.median(timed())
                os.kill(stopped, signal.SIGCONT)
        return out


def holder_of(pids):
    for pid in pids:
        with open(f"/proc/{pid}/cmdline", "rb") as cmdline:
            if cmdline.read().startswith(b"hold-holder\0"):
                return pid
    return None


def memory_kib(pids):
    """PSS of the processes, with every page of every memfd they hold counted once, mapped or not."""
    total, files = 0, {}
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps") as smaps:
                text = smaps.read()
            for mapping in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", text):
                pss = re.search(r"^Pss:\s+(\d+)", mapping, re.M)
                if pss and "/memfd:" not in mapping.split("\n", 1)[0]:
                    total += int(pss.group(1))
            for fd in os.listdir(f"/proc/{pid}/fd"):
                path = f"/proc/{pid}/fd/{fd}"
                if os.readlink(path).startswith("/memfd:"):
                    stat = os.stat(path)
                    files[stat.st_dev, stat.st_ino] = stat.st_blocks * 512 // 1024
        except OSError:
            pass
    return total + sum(files.values())


def sleeps(pid):
    total = 0
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/status") as status:
                total += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read(), re.M).group(1))
    except OSError:
        pass
    return total


# ---------------------------------------------------------------- rounds

def busy_ticks():
    with open("/proc/stat") as stat:
        fields = [int(x) for x in stat.readline().split()[1:9]]
    return fields[0] + fields[1] + fields[2] + fields[5] + fields[6]


def wait_until_quiet():
    """Other jobs share the cores: waits, bounded, for a moment in which they use few; returns what they used."""
    began = time.monotonic()
    while True:
        ticks, t = busy_ticks(), time.monotonic()
        time.sleep(0.2)
        cores = (busy_ticks() - ticks) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - t)
        if cores < QUIET_CORES or time.monotonic() - began > QUIET_WAIT_S:
            return cores


def interleave(peers, rounds, sample):
    """{peer: [samples]}: every round measures each peer once, in a new order."""
    for file, how in ((MXB, "make -C bench"), (HOLD if "hold" in peers else MXB, "make build, or set HOLD")):
        if not os.path.exists(file):
            raise SystemExit(f"{file} is not there: {how}")
    results = {peer: [] for peer in peers}
    for _ in range(rounds):
        for peer in random.sample(peers, len(peers)):
            wait_until_quiet()
            try:
                results[peer].append(sample(peer))
            except (OSError, subprocess.SubprocessError, KeyError, ValueError) as error:
                results[peer].append({"error": repr(error)})
    return results
