"""A client that speaks the session protocol by itself (docs/protocol.md): for races, garbage and slow readers."""

import json
import select
import socket
import struct
import time

from process import PATIENCE

# Type numbers never change: written out here once more, so that a renumbering fails the proofs.
HELLO, ATTACH, DETACH, TAKE_SIZE, INPUT, RESIZE, OUTPUT, SNAPSHOT, INFO = range(1, 10)
SUBSCRIBE, EVENT, HOOK, SET_META, READ_ROWS, RENAME, REPLAY, SIGNAL, KILL, ERROR, OK, DATA, REMOVE = range(10, 23)

HISTORY, SCREEN, VIEW, UNDO = 1, 2, 3, 4
LAST, REBUILT = 1, 2


def frame(kind, payload):
    if isinstance(payload, (dict, list)):
        payload = json.dumps(payload).encode()
    return struct.pack("<IB", len(payload), kind) + payload


class Gone(Exception):
    """The holder has closed the connection."""


class Peer:
    """One connection. Everything that comes is sorted: output by offset, snapshots, events, answers by id."""

    def __init__(self, path, greet=True):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.buffer = bytearray()
        self.output = bytearray()  # live output as drawn, in order
        self.output_from = self.output_to = None  # raw offsets that `output` covers, without a gap
        self.snapshots, self.events, self.answers = [], [], {}
        self.snapshot = bytearray()  # the bytes of the last restore
        self.order = []  # types as they came
        self.hello, self.last_id, self.sent_input = None, 0, 0
        if greet:
            self.send(HELLO, {"protocol": 1, "features": [], "version": "test"})
            self.until(lambda: self.hello)

    def send(self, kind, payload):
        self.raw(frame(kind, payload))

    def raw(self, data):
        self.socket.setblocking(True)
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            raise Gone from None

    def close(self):
        self.socket.close()

    # --- verbs ---

    def ask(self, kind, within=PATIENCE, **fields):
        """A request and its answer (a dict); the answer to read_rows is bytes."""
        number = self.post(kind, **fields)
        self.until(lambda: number in self.answers, within)
        return self.answers.pop(number)

    def post(self, kind, **fields):
        """A request whose answer nobody waits for yet."""
        self.last_id += 1
        self.send(kind, {"id": self.last_id, **fields})
        return self.last_id

    def attach(self, cols=80, rows=24, observe=False, drawn=True):
        """Attaches and, unless `drawn` is off, waits for the whole restore."""
        answer = self.ask(ATTACH, cols=cols, rows=rows, xpixel=0, ypixel=0, client_id="a test", observe=observe,
                          terminal={"term": "xterm-256color"}, environment={})
        if "code" not in answer and drawn:
            self.until(lambda: self.snapshots and self.snapshots[-1][2] & LAST)
        return answer

    def type(self, data):
        data = data.encode() if isinstance(data, str) else data
        self.send(INPUT, struct.pack("<Q", self.sent_input) + data)
        self.sent_input += len(data)

    def info(self):
        return self.ask(INFO)["info"]

    # --- what comes ---

    def take(self, timeout):
        """Reads once and sorts what came; False when nothing came in time. Raises Gone at the end."""
        self.socket.setblocking(False)
        if not select.select([self.socket], [], [], max(0.0, timeout))[0]:
            return False
        try:
            data = self.socket.recv(1 << 20)
        except ConnectionResetError:
            data = b""
        if not data:
            raise Gone
        self.buffer += data
        self._sort()
        return True

    def _sort(self):
        at = 0
        while len(self.buffer) - at >= 5:
            size, kind = struct.unpack_from("<IB", self.buffer, at)
            if len(self.buffer) - at - 5 < size:
                break
            self._frame(kind, bytes(self.buffer[at + 5:at + 5 + size]))
            at += 5 + size
        del self.buffer[:at]

    def _frame(self, kind, payload):
        self.order.append(kind)
        if kind == OUTPUT:
            start, end = struct.unpack_from("<QQ", payload)
            if self.output_to not in (None, start):
                raise AssertionError(f"output jumps from {self.output_to} to {start}")
            if self.output_from is None:
                self.output_from = start
            self.output_to = end
            self.output += payload[16:]
        elif kind == SNAPSHOT:
            offset, phase, flags = struct.unpack_from("<QBB", payload)
            if not self.snapshots or self.snapshots[-1][2] & LAST:
                self.snapshot.clear()
            self.snapshots.append((offset, phase, flags))
            self.snapshot += payload[12:]
            if flags & LAST and phase in (SCREEN, HISTORY):  # live bytes go on from here
                self.output.clear()
                self.output_from = self.output_to = offset
        elif kind == DATA:
            number, last = struct.unpack_from("<QB", payload)
            piece = self.answers.setdefault(-number, bytearray())
            piece += payload[9:]
            if last:
                self.answers[number] = bytes(self.answers.pop(-number))
        else:
            self._message(kind, json.loads(payload))

    def _message(self, kind, message):
        if kind == HELLO:
            self.hello = message
        elif kind == EVENT:
            self.events.append(message)
        else:
            self.answers[message.get("id", 0)] = message

    def until(self, condition, within=PATIENCE):
        """Takes in what comes until the condition is true."""
        end = time.monotonic() + within
        while True:
            value = condition()
            if value:
                return value
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"did not come within {within} s; events {self.events}, answers {self.answers}")
            self.take(left)

    def until_gone(self, within=PATIENCE):
        """Everything up to the end of the connection."""
        try:
            self.until(lambda: False, within)
        except Gone:
            return

    def event(self, name):
        """The last event of this name, None if none came."""
        return next((e for e in reversed(self.events) if e.get("event") == name), None)

    def drawn(self):
        """All bytes a terminal would have got: the last restore, then what followed it."""
        return bytes(self.snapshot + self.output)
