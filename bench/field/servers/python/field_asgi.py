"""The paths of the field as an ASGI application, and as a WSGI one for servers that know no other; LOG in the environment."""

import asyncio
import gzip
import os
import time

SMALL = b"Hello, field!\n"
BIG = b"x" * 1_000_000
LOG = open(os.environ["LOG"], "ab", buffering=0)


def plain(path, wants_gzip):
    """Status, header fields and body of a response that is sent at once."""
    if path == "/big":
        return 200, [], BIG
    if path in ("/204", "/304"):
        return int(path[1:]), [], b""
    if path == "/503":
        return 503, [], b"no\n"
    if path == "/limited":
        return 413, [], b"too large\n"
    if path == "/gzip" and wants_gzip:
        return 200, [("content-encoding", "gzip")], gzip.compress(SMALL)
    return 200, [], SMALL


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        return await lifespan(receive, send)
    path = scope["path"]
    fields = dict(scope["headers"])
    LOG.write(path.encode() + b"?" + scope["query_string"] + b"\n")

    async def begin(status, extra):
        head = [(name.encode(), value.encode()) for name, value in extra]
        await send({"type": "http.response.start", "status": status, "headers": head})

    async def body(piece, more=False):
        await send({"type": "http.response.body", "body": piece, "more_body": more})

    if path == "/crash":
        raise RuntimeError("crash")
    if path == "/cut":
        await begin(200, [("content-length", "100")])
        await body(b"short", True)
        await asyncio.sleep(0.005)
        raise RuntimeError("cut")
    if path == "/chunked":
        await begin(200, [])
        for piece in (b"one\n", b"two\n", b"three\n"):
            await body(piece, True)
            await asyncio.sleep(0.005)
        return await body(b"")
    if path == "/post":
        count = 0
        while True:
            message = await receive()
            count += len(message.get("body", b""))
            if not message.get("more_body"):
                break
        text = str(count).encode()
        await begin(200, [("content-length", str(len(text)))])
        return await body(text)
    if path == "/slow":
        await asyncio.sleep(0.3)
    status, extra, text = plain(path, b"gzip" in fields.get(b"accept-encoding", b""))
    length = [] if status in (204, 304) else [("content-length", str(len(text)))]
    await begin(status, extra + length)
    await body(b"" if scope["method"] == "HEAD" else text)


async def lifespan(receive, send):
    while True:
        kind = (await receive())["type"]
        await send({"type": kind + ".complete"})
        if kind == "lifespan.shutdown":
            return


REASONS = {200: "OK", 204: "No Content", 304: "Not Modified", 413: "Too Large", 503: "Unavailable"}


def wsgi(environ, start_response):
    path = environ["PATH_INFO"]
    LOG.write(path.encode() + b"?" + environ["QUERY_STRING"].encode() + b"\n")
    if path == "/crash":
        raise RuntimeError("crash")
    if path == "/cut":
        start_response("200 OK", [("content-length", "100")])
        return cut()
    if path == "/chunked":
        start_response("200 OK", [])
        return iter((b"one\n", b"two\n", b"three\n"))
    if path == "/slow":
        time.sleep(0.3)
    status, extra, text = plain(path, "gzip" in environ.get("HTTP_ACCEPT_ENCODING", ""))
    if path == "/post":
        text = str(len(environ["wsgi.input"].read())).encode()
    length = [] if status in (204, 304) else [("content-length", str(len(text)))]
    start_response(f"{status} {REASONS[status]}", extra + length)
    return [b"" if environ["REQUEST_METHOD"] == "HEAD" else text]


def cut():
    yield b"short"
    raise RuntimeError("cut")
