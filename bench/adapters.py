"""One small class a peer. Methods return argv lists; `d` is a scratch directory of this run, `s` the session's name, `prog` the
argv that must run inside. Whatever a peer starts must keep the environment it is given: its processes are found by it.

A new peer is a class here and a word in --peers.
"""
import glob
import os
import signal
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
MXB = os.environ.get("MXB_BIN") or os.path.join(HERE, "../build/bench/mxb")
MXB = os.path.realpath(MXB)
HOLD = os.path.realpath(os.environ.get("HOLD") or os.path.join(HERE, "../build/release/hold"))
HISTORY_LINES = 60000  # for peers that need to be told, so that all keep what the workloads print


class Peer:
    name = "?"
    restores = True  # repaints by itself on attach; else the program must (mxb prog fill --winch)
    raw = False      # no peer at all: the program on the driver's PTY

    def __init__(self, d):
        self.d = d

    def env(self):
        return {}

    def create(self, s, prog):  # detached; returns when the session exists, or before
        raise NotImplementedError

    def attach(self, s):  # runs on a 120x40 PTY
        raise NotImplementedError

    def list(self):
        return None

    def kill(self, s):  # None: the harness ends the program
        return None

    def caught_up(self, s):  # returns when all output has been taken in; None: it has when it was read
        return None

    def cleanup(self):
        pass


class Raw(Peer):
    name, raw, restores = "raw", True, False

    def create(self, s, prog):
        return prog


class Hold(Peer):
    name = "hold"

    def env(self):
        return {"HOLDFAST_RUNTIME_DIR": self.d + "/r", "XDG_STATE_HOME": self.d + "/state", "XDG_CONFIG_HOME": self.d + "/config",
                "HOME": self.d}

    def create(self, s, prog):
        return [HOLD, "new", "-d", "--name", s, "--size", "120x40", "--", *prog]

    def attach(self, s):
        return [HOLD, "attach", s]

    def list(self):
        return [HOLD, "ls"]

    def kill(self, s):
        return [HOLD, "kill", s]

    def caught_up(self, s):
        return [HOLD, "read", s]


class Tmux(Peer):
    name = "tmux"

    def words(self, *rest):
        return ["tmux", "-S", self.d + "/t.sock", "-f", self.d + "/tmux.conf", *rest]

    def env(self):
        with open(self.d + "/tmux.conf", "w") as conf:
            conf.write(f"set -g history-limit {HISTORY_LINES}\n")
        return {}

    def create(self, s, prog):
        return self.words("new-session", "-d", "-s", s, "-x", "120", "-y", "40", "--", *prog)

    def attach(self, s):
        return self.words("attach-session", "-t", s)

    def list(self):
        return self.words("list-sessions")

    def kill(self, s):
        return self.words("kill-session", "-t", s)

    def cleanup(self):
        subprocess.run(self.words("kill-server"), stderr=subprocess.DEVNULL)


class Screen(Peer):
    name = "screen"

    def words(self, *rest):
        return ["screen", "-U", "-c", self.d + "/screenrc", *rest]

    def env(self):
        os.makedirs(self.d + "/scr", mode=0o700, exist_ok=True)
        with open(self.d + "/screenrc", "w") as conf:
            conf.write(f"startup_message off\ndefscrollback {HISTORY_LINES}\ndefutf8 on\nautodetach on\n")
        return {"SCREENDIR": self.d + "/scr"}

    def create(self, s, prog):
        return self.words("-dmS", s, *prog)

    def attach(self, s):
        return self.words("-x", s)

    def list(self):
        return ["screen", "-ls"]

    def kill(self, s):
        return ["screen", "-S", s, "-X", "quit"]

    def cleanup(self):
        for path in glob.glob(self.d + "/scr/*"):
            try:
                os.kill(int(os.path.basename(path).split(".")[0]), signal.SIGTERM)
            except (ValueError, ProcessLookupError):
                pass


class Dtach(Peer):
    name, restores = "dtach", False

    def create(self, s, prog):
        return ["dtach", "-n", f"{self.d}/{s}.dt", "-Ez", "-r", "winch", *prog]

    def attach(self, s):
        return ["dtach", "-a", f"{self.d}/{s}.dt", "-Ez", "-r", "winch"]


class IdealFd(Peer):  # a ceiling, not a product: the client hands its terminal to the server
    name, restores, mode = "ideal-fd", False, "fd"

    def create(self, s, prog):
        return [MXB, "relayd", "--mode", self.mode, "--sock", f"{self.d}/{s}.rl", "--", *prog]

    def attach(self, s):
        return [MXB, "relay-attach", "--mode", self.mode, "--sock", f"{self.d}/{s}.rl"]


class IdealSock(IdealFd):  # a ceiling: server, unix socket, client
    name, mode = "ideal-sock", "sock"


PEERS = {peer.name: peer for peer in (Raw, Hold, Tmux, Screen, Dtach, IdealFd, IdealSock)}
