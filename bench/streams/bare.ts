/**
 * The baseline for memory: bare Deno holds streams or WebSockets open, and uses nothing of Plateau but its bindings to
 * libc. With `epoll`, a socket is a file descriptor, and calls go through FFI; with `tcp`, it is a socket of node:net,
 * and all sockets read into one buffer, as in Plateau's driver of that name. Messages are sent, and those received are
 * discarded. Prints the program's memory near the end, as JSON.
 */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import {
  AF_INET,
  DATA_WORD,
  EPOLL_CTL_ADD,
  EPOLLET,
  EPOLLIN,
  EVENT_WORDS,
  libc,
  MSG_DONTWAIT_NOSIGNAL,
} from "../../base/system/libc.ts";
import { heldTwice } from "./held.ts";
import type { Opened } from "./isolate.ts";

const SOCK_STREAM_CLOEXEC = 1 | 0o2000000;
const READ_BYTES = 256 * 1024;
const MAX_EVENTS = 1_024;
const WAIT_MS = 1;

const { what, driver, port, count, everyMs, seconds }: Opened = JSON.parse(Deno.args[0]);
const isSocket = what === "WebSockets";
const HANDSHAKE = [
  ...["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"],
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];
const opening = new TextEncoder().encode(
  [
    `GET ${isSocket ? "/ws" : "/events"} HTTP/1.1`,
    "Host: localhost",
    ...isSocket ? HANDSHAKE : [],
    "\r\n",
  ].join("\r\n"),
);
/** A WebSocket frame with the text "n=0", under a mask of zeros. */
const message = Uint8Array.of(0x81, 0x83, 0, 0, 0, 0, 0x6e, 0x3d, 0x30);

/** Sockets, each known by its number from 0. */
interface Sockets {
  open(at: number): void;
  send(at: number): void;
  /** Waits briefly, and reads what has arrived. */
  wait(): void | Promise<void>;
}

/** For each socket, how often data has arrived. */
const heard = new Uint32Array(count);

function onLibc(): Sockets {
  const calls = libc();
  const epoll = calls.epoll_create1(0);
  const fds = new Int32Array(count);
  const events = new Int32Array(MAX_EVENTS * EVENT_WORDS);
  const event = new Int32Array(EVENT_WORDS);
  const buffer = new Uint8Array(READ_BYTES);
  const address = new Uint8Array(16);
  const view = new DataView(address.buffer);
  view.setUint16(0, AF_INET, true);
  view.setUint16(2, port);
  address.set([127, 0, 0, 1], 4);
  const send = (at: number, bytes: Uint8Array<ArrayBuffer>): void => {
    calls.send(fds[at], bytes, bytes.length, MSG_DONTWAIT_NOSIGNAL);
  };
  return {
    open(at): void {
      fds[at] = calls.socket(AF_INET, SOCK_STREAM_CLOEXEC, 0);
      if (calls.connect(fds[at], address, address.length) < 0) {
        throw new Error(calls.explain(calls.errno()));
      }
      event[0] = EPOLLIN | EPOLLET;
      event[DATA_WORD] = at;
      calls.epoll_ctl(epoll, EPOLL_CTL_ADD, fds[at], event);
      send(at, opening);
    },
    send: (at) => send(at, message),
    wait(): void {
      const ready = calls.epoll_wait(epoll, events, MAX_EVENTS, WAIT_MS);
      for (let i = 0; i < ready; i++) {
        const at = events[i * EVENT_WORDS + DATA_WORD];
        const length = calls.recv(fds[at], buffer, READ_BYTES, MSG_DONTWAIT_NOSIGNAL);
        if (length > 0) heard[at]++;
      }
    },
  };
}

function onNode(): Sockets {
  const open: Socket[] = [];
  const buffer = Buffer.alloc(READ_BYTES);
  return {
    open(at): void {
      const callback = (): boolean => {
        heard[at]++;
        return true;
      };
      const onread = { buffer, callback };
      open[at] = connect({ host: "127.0.0.1", port, noDelay: true, onread });
      open[at].write(opening);
    },
    send: (at) => void open[at].write(message),
    wait: () => new Promise((wake) => setTimeout(wake, WAIT_MS)),
  };
}

// Every `everyMs / count` milliseconds, it is the turn of one socket: in the first round it is
// opened, and in later rounds, if it is a WebSocket, it sends a message.
const sockets = { epoll: onLibc, tcp: onNode }[driver]();
const startMs = performance.now();
for (let turn = 0, elapsedMs = 0; elapsedMs < seconds * 1_000;) {
  for (; turn < elapsedMs * count / everyMs; turn++) {
    if (turn < count) sockets.open(turn);
    else if (isSocket) sockets.send(turn % count);
  }
  await sockets.wait();
  elapsedMs = performance.now() - startMs;
}
const silent = heard.filter((times) => times === 0).length;
if (silent > 0) throw new Error(`${silent} of ${count} heard nothing`);
// deno-lint-ignore no-console -- the output of a program
console.log(JSON.stringify(heldTwice()));
Deno.exit(0);
