"""A server with a cause of slowness, which its first argument names; without one it has none. For each request, `work
S P` takes S rounds of one function and P of another; `lock` waits for 5 ms, one request at a time; `waiting` waits for
20 ms; `redis` makes Redis compute; `storm` leaves reference cycles while much other memory stays in use; `fsync FOLDER`
writes a megabyte to storage; `resolve NAME` looks a name up; `capped N` waits for 20 ms, with at most N open
connections. `blocked` blocks its event loop for 50 ms every second; `calm` has the same loop and never blocks it, and
`pack` compresses a text in it for each request."""

import asyncio
import os
import socket
import sys
import tempfile
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
STAYS = [{"i": i, "list": [i]} for i in range(150_000)] if MODE == "storm" else []
ROUND = 5_000


def steady(rounds):
    total = 0
    for i in range(rounds * ROUND):
        total += i * i % 7
    return total


def planted(rounds):
    total = 0
    for i in range(rounds * ROUND):
        total += i * i % 5
    return total


def work():
    steady(int(sys.argv[2]))
    planted(int(sys.argv[3]))


LOCK = threading.Lock()


def locked():
    with LOCK:
        time.sleep(0.005)


COMPUTE = b"local i = 0 while i < 100000 do i = i + 1 end return 1"
OWN = threading.local()


def ask_redis():
    if not hasattr(OWN, "redis"):
        at = urlsplit(os.environ["REDIS_URL"])
        OWN.redis = socket.create_connection((at.hostname, at.port))
    OWN.redis.sendall(b"*3\r\n$4\r\nEVAL\r\n$%d\r\n%s\r\n$1\r\n0\r\n" % (len(COMPUTE), COMPUTE))
    OWN.redis.recv(64)


def storm():
    for i in range(2_000):
        cycle = {"i": i}
        cycle["self"] = cycle
        STAYS.append([i])


RECORD = bytes(1_000_000)
JOURNAL = tempfile.TemporaryFile(dir=sys.argv[2], buffering=0) if MODE == "fsync" else None


def logged():
    os.pwrite(JOURNAL.fileno(), RECORD, 0)
    os.fsync(JOURNAL.fileno())


HANDLERS = {
    "fsync": logged,
    "resolve": lambda: socket.getaddrinfo(sys.argv[2], 80),
    "capped": lambda: time.sleep(0.02),
    "work": work,
    "lock": locked,
    "waiting": lambda: time.sleep(0.02),
    "redis": ask_redis,
    "storm": storm,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        if MODE in HANDLERS:
            HANDLERS[MODE]()
        self.send_response(200)
        self.send_header("content-length", "5")
        self.end_headers()
        self.wfile.write(b"right")

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    # With the usual 5 some of the connections that come at once are not taken for a second.
    request_queue_size = 100
    places = threading.Semaphore(int(sys.argv[2])) if MODE == "capped" else None

    def get_request(self):
        if self.places:
            self.places.acquire()
        return super().get_request()

    def shutdown_request(self, request):
        super().shutdown_request(request)
        if self.places:
            self.places.release()


# Takes about 1 ms to compress.
TEXT = " ".join(str(i * 7919 % 10_007) for i in range(6_000)).encode()


class Loop(asyncio.Protocol):
    """As much of HTTP as the bench needs: each piece of data that arrives is one request."""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, _):
        if MODE == "pack":
            zlib.compress(TEXT)
        self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nright")


def block():
    end = time.perf_counter() + 0.05
    while time.perf_counter() < end:
        pass
    asyncio.get_running_loop().call_later(1, block)


async def serve_loop(port):
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Loop, "127.0.0.1", port)
    if MODE == "blocked":
        loop.call_later(1, block)
    await server.serve_forever()


PORT = int(os.environ["PORT"])
if MODE in ("blocked", "calm", "pack"):
    asyncio.run(serve_loop(PORT))
else:
    Server(("127.0.0.1", PORT), Handler).serve_forever()
