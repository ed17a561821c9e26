"""Whatever a peer sends: it costs that connection only."""

import json
import random
import socket
import struct

import peer as wire
from harness import Case, main, seed
from process import SANITIZED, descriptors, eventually, memory_bytes

HELLO = wire.frame(wire.HELLO, {"protocol": 1, "features": [], "version": "test"})
HELLO_WITHIN = 5  # seconds


class HostilePeer(Case):
    def setUp(self):
        super().setUp()
        self.world.start("s", "sh", "-c", "while read x; do echo got $x; done")
        self.holder = self.world.holder("s")
        self.path = self.world.socket_of("s")
        self.good = self.world.peer("s")
        self.good.attach()

    def sent(self, data):
        """A connection that sends `data` and then listens to the end; gives what came, None if it was kept open."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.path)
            connection.settimeout(HELLO_WITHIN + 20)
            answer = b""
            try:
                connection.sendall(data)
            except BrokenPipeError:
                pass  # it did not want to hear all of it
            try:
                while piece := connection.recv(65536):
                    answer += piece
            except ConnectionResetError:
                pass
            return answer

    def assert_unharmed(self):
        self.assertEqual(self.world.holder("s"), self.holder)
        self.good.output.clear()
        self.good.type("hello\n")
        self.good.until(lambda: b"got hello" in self.good.output)

    def errors(self, answer):
        """The error frames in an answer."""
        found, at = [], 0
        while at + 5 <= len(answer):
            size, kind = struct.unpack_from("<IB", answer, at)
            if kind == wire.ERROR:
                found.append(json.loads(answer[at + 5:at + 5 + size]))
            at += 5 + size
        return found

    def assert_closed_with_an_error(self, data):
        answer = self.sent(data)
        (error,) = self.errors(answer)
        self.assertTrue(error["message"])
        self.assert_unharmed()

    def test_garbage_instead_of_a_hello(self):
        for data in (b"GET / HTTP/1.1\r\n\r\n" + b"x" * 200, b"\0" * 100, b"\xff" * 100):
            with self.subTest(data[:10]):
                self.sent(data)
                self.assert_unharmed()

    def test_a_wrong_first_frame(self):
        self.assert_closed_with_an_error(wire.frame(wire.ATTACH, {"cols": 80, "rows": 24}))

    def test_a_hello_of_a_newer_protocol_is_answered_with_our_own(self):
        client = self.world.peer("s", greet=False)
        client.send(wire.HELLO, {"protocol": 999, "features": ["levitation"], "version": "x"})
        client.until(lambda: client.hello)
        self.assertEqual(client.hello["protocol"], 1)
        self.assertEqual(client.info()["name"], "s")

    def test_a_hello_without_a_protocol(self):
        self.assert_closed_with_an_error(wire.frame(wire.HELLO, {"features": []}))

    def test_a_huge_length(self):
        for before in (b"", HELLO):
            self.assert_closed_with_an_error(before + struct.pack("<IB", 0xFFFFFFF0, wire.INPUT) + b"x" * 1000)

    def test_a_control_frame_above_its_limit(self):
        self.assert_closed_with_an_error(HELLO + wire.frame(wire.INFO, b'{"id":1,"x":"' + b"y" * (70 << 10) + b'"}'))

    def test_an_input_frame_above_its_limit(self):
        self.assert_closed_with_an_error(HELLO + wire.frame(wire.INPUT, bytes(8) + b"x" * ((1 << 20) + 1)))

    def test_json_that_is_none(self):
        for payload in (b"{", b'{"id":', b"\xff\xff", b"[" * 50000, b'{"id":1}x'):
            with self.subTest(payload[:8]):
                self.assert_closed_with_an_error(HELLO + wire.frame(wire.INFO, payload))

    def test_json_that_is_no_object_asks_for_nothing_special(self):
        for kind in (wire.INFO, wire.ATTACH, wire.READ_ROWS, wire.SIGNAL, wire.SET_META):
            for payload in (b"", b"[]", b"null", b"7"):
                with self.subTest(kind=kind, payload=payload):
                    client = self.world.peer("s")
                    client.send(kind, payload)
                    try:
                        client.info()
                    except wire.Gone:
                        pass
                    client.close()
        self.assert_unharmed()

    def test_an_input_frame_without_its_offset(self):
        self.assert_closed_with_an_error(HELLO + wire.frame(wire.INPUT, b"abc"))

    def test_a_frame_of_a_holder_sent_by_a_client(self):
        client = self.world.peer("s")
        client.send(wire.OUTPUT, bytes(16) + b"x")
        try:
            client.info()
        except wire.Gone:
            pass
        self.assert_unharmed()

    def test_unknown_types_are_skipped(self):
        client = self.world.peer("s")
        client.send(200, b"from the future")
        self.assertEqual(client.info()["name"], "s")

    def test_requests_that_ask_for_nonsense_are_answered_and_kept_open(self):
        client = self.world.peer("s")
        for kind, fields in ((wire.ATTACH, {"cols": -1, "rows": 24}), (wire.ATTACH, {"cols": "x", "rows": 24}),
                             (wire.ATTACH, {"cols": 100000, "rows": 24}), (wire.READ_ROWS, {"format": "sung"}),
                             (wire.SIGNAL, {"number": 9999}),
                             (wire.RENAME, {"name": "../x"}), (wire.REMOVE, {}), (wire.SET_META, {"labels": 7})):
            with self.subTest(kind=kind, fields=fields):
                answer = client.ask(kind, **fields)
                self.assertIn("message", answer, "an error")
        self.assertEqual(client.info()["name"], "s")
        self.assert_unharmed()

    def test_a_peer_that_never_says_hello_is_shown_out(self):
        self.assertIsNotNone(self.sent(b""))
        self.assertIsNotNone(self.sent(HELLO[:7]))
        self.assert_unharmed()

    def test_many_connections_at_once_are_bounded_and_let_go(self):
        before = descriptors(self.holder)
        crowd = []
        for _ in range(400):
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(0)
            try:
                connection.connect(self.path)
                connection.send(HELLO)
            except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                pass
            crowd.append(connection)
        self.assert_unharmed()
        self.assertLess(descriptors(self.holder), before + 300)
        for connection in crowd:
            connection.close()
        eventually(lambda: descriptors(self.holder) <= before)
        self.assertEqual(self.world.info("s")["clients"], 1)

    def test_a_client_that_asks_and_never_reads_is_bounded(self):
        before = memory_bytes(self.holder)
        with socket.socket(socket.AF_UNIX) as greedy:
            greedy.connect(self.path)
            greedy.sendall(HELLO)
            greedy.setblocking(False)
            request = wire.frame(wire.INFO, {"id": 1})
            try:
                for _ in range(200_000):
                    greedy.send(request)
            except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                pass
            self.assert_unharmed()
            self.assertLess(memory_bytes(self.holder) - before, (64 if SANITIZED else 16) << 20)

    def test_seeded_frames(self):
        dice = random.Random(seed())
        harmful = (wire.KILL, wire.REMOVE, wire.SIGNAL, wire.INPUT, wire.DETACH)
        kinds = [kind for kind in range(30) if kind not in harmful]
        for _ in range(60 if SANITIZED else 300):
            frames = b""
            for _ in range(dice.randrange(1, 6)):
                kind = dice.choice(kinds)
                payload = dice.choice([b"", b"{}", b'{"id":1}', dice.randbytes(dice.randrange(64)),
                                       b'{"id":1,"cols":%d,"rows":%d}' % (dice.randrange(300), dice.randrange(100))])
                frames += wire.frame(kind, payload)
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(self.path)
            try:
                connection.sendall(HELLO + frames)
            except (BrokenPipeError, ConnectionResetError):
                pass
            connection.close()
        self.assert_unharmed()


if __name__ == "__main__":
    main()
