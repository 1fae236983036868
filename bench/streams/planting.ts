/**
 * A server whose times are planted and known: right beside the calls of the kernel, the server notes by its own clock
 * when it received and sent everything, so that measurements are compared with what has happened, whatever the machine
 * did. It speaks server-sent events (`/events`) and WebSockets (`/ws`, an echo) over HTTP/1.1, and streams of gRPC over
 * HTTP/2, for any method. `deno run planting.ts PLAN` (JSON) prints the port, ends with its standard input, and then
 * prints the notes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inEnvelopes } from "../../base/grpc/envelope.ts";
import {
  ACK,
  CONTENT,
  DATA,
  END_STREAM,
  FRAME,
  FrameReader,
  HEADERS,
  NOTHING,
  PING,
  SETTINGS,
} from "../../base/http/http2/frames.ts";
import { acceptOf } from "../../base/http/websocket/handshake.ts";
import { CLOSE, headBytes, LAST, TEXT } from "../../base/http/websocket/frames.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
import {
  type Freezes,
  momentsOf,
  type Planted,
  thawed,
} from "../../targets/apps/streams/schedule.ts";
import { frame, headers, joined, octets, settings } from "../../tests/http/http2/peer.ts";
import { started } from "../../tests/conformance/programs.ts";
import { type Place, placed } from "../stage/programs.ts";

export interface Plan extends Planted {
  /** The number of messages of each stream; a WebSocket echoes every message. */
  readonly messages: number;
  /** The time from a message on a WebSocket to its echo. */
  readonly delayMs: number;
  /** The number of messages after which a stream dies instead of sending the next; null: it does not die. */
  readonly diesAfter: number | null;
  /** The freeze in which the server sends nothing, since its first request; null: it never freezes. */
  readonly freeze: { readonly fromMs: number; readonly lengthMs: number } | null;
}

/** The messages sent on one stream or WebSocket; in milliseconds of one clock. */
export interface Noted {
  readonly askedMs: number;
  readonly sentMs: readonly number[];
  /** For each echo, the moment at which its message came; empty for a stream. */
  readonly cameMs: readonly number[];
  /** Whether the server has died on this stream. */
  readonly died: boolean;
}

interface Planting extends AsyncDisposable {
  readonly port: number;
  /** Ends the server, and returns its notes. */
  readonly notes: () => Promise<readonly Noted[]>;
}

/** Starts the server in a process of its own. */
export async function startPlanting(plan: Plan, place: Place): Promise<Planting> {
  const file = fileURLToPath(import.meta.url);
  const [program, ...args] = placed(place, [
    ...[Deno.execPath(), "run", "--no-check", "--allow-all", file, JSON.stringify(plan)],
  ]);
  const server = await started(program, args);
  return {
    port: server.port,
    notes: async () => JSON.parse(await server.end()),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

class Stream {
  readonly sentMs: number[] = [];
  readonly cameMs: number[] = [];
  died = false;

  constructor(readonly askedMs: number) {}
}

const FOREVER_MS = 1e12;

class Server {
  readonly streams: Stream[] = [];
  /** The freezes; null before the first request. */
  #freezes: Freezes | null = null;

  constructor(private readonly plan: Plan) {}

  begin(): Stream {
    const stream = new Stream(performance.now());
    this.#freezes ??= freezesOf(this.plan, stream.askedMs);
    this.streams.push(stream);
    return stream;
  }

  /** Sends each message when it is due; returns false if the stream died instead. */
  async play(stream: Stream, send: (k: number) => Promise<void>): Promise<boolean> {
    const { messages, diesAfter } = this.plan;
    const momentOf = momentsOf(this.plan, this.#frozen());
    for (let k = 0; k < messages; k++) {
      await until(momentOf(stream.askedMs, k));
      if (k === diesAfter) return this.#die(stream);
      stream.sentMs.push(performance.now());
      await send(k);
    }
    return true;
  }

  /** Sends one echo when it is due; returns false if the WebSocket died instead. */
  async echo(stream: Stream, cameMs: number, send: () => Promise<void>): Promise<boolean> {
    await until(thawed(cameMs + this.plan.delayMs, this.#frozen()));
    if (stream.died) return true;
    if (stream.sentMs.length === this.plan.diesAfter) return this.#die(stream);
    stream.cameMs.push(cameMs);
    stream.sentMs.push(performance.now());
    await send();
    return true;
  }

  #die(stream: Stream): false {
    stream.died = true;
    return false;
  }

  #frozen(): Freezes {
    if (this.#freezes === null) throw new Error("Nothing was requested");
    return this.#freezes;
  }
}

function freezesOf({ freeze }: Plan, firstMs: number): Freezes {
  if (freeze === null) return { startMs: 0, lengthMs: 0, everyMs: 0 };
  const { fromMs, lengthMs } = freeze;
  const startMs = firstMs + fromMs + lengthMs - FOREVER_MS; // one cycle, which ends with the freeze
  return { startMs, lengthMs, everyMs: FOREVER_MS };
}

async function until(atMs: number): Promise<void> {
  const waitMs = atMs - performance.now();
  if (waitMs > 0) await sleep(Math.ceil(waitMs)); // rounded up: a timer drops fractions
}

async function write(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}

const READ_BYTES = 65_536;

/** Yields what is read until the client has closed. */
async function* readsOf(conn: Deno.Conn): AsyncGenerator<Uint8Array> {
  for (;;) {
    const bytes = new Uint8Array(READ_BYTES);
    const count = await conn.read(bytes);
    if (count === null) return;
    yield bytes.subarray(0, count);
  }
}

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const decoder = new TextDecoder("latin1");

async function serve(server: Server, conn: Deno.TcpConn): Promise<void> {
  conn.setNoDelay(true);
  const reads = readsOf(conn);
  const { value: first } = await reads.next();
  if (first === undefined) return;
  const text = decoder.decode(first);
  if (text.startsWith(PREFACE.slice(0, 16))) return serveCalls(server, conn, first, reads);
  if (/^sec-websocket-key:/im.test(text)) return serveSocket(server, conn, text, reads);
  return serveEvents(server, conn, first, reads);
}

/**
 * Behaves like a dead server: sends nothing more, but reads on, because a reset would discard what it has sent before.
 */
async function leave(conn: Deno.TcpConn, reads: AsyncGenerator<Uint8Array>): Promise<void> {
  await conn.closeWrite();
  for await (const _ of reads);
}

async function serveEvents(
  server: Server,
  conn: Deno.TcpConn,
  first: Uint8Array,
  reads: AsyncGenerator<Uint8Array>,
): Promise<void> {
  const head = octets(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n" +
      "transfer-encoding: chunked\r\n\r\n",
  );
  for (let asked: Uint8Array | undefined = first; asked !== undefined;) {
    const stream = server.begin();
    await write(conn, head);
    const isWhole = await server.play(stream, (k) => {
      const event = `id: ${k}\ndata: ${k}\n\n`;
      return write(conn, octets(`${event.length.toString(16)}\r\n${event}\r\n`));
    });
    if (!isWhole) return leave(conn, reads);
    await write(conn, octets("0\r\n\r\n"));
    asked = (await reads.next()).value;
  }
}

/** The size of a frame's head, at whose end is the mask; frames of the client are short. */
const HEAD_BYTES = headBytes(0);
const MASK_AT = 2;

async function serveSocket(
  server: Server,
  conn: Deno.TcpConn,
  head: string,
  reads: AsyncGenerator<Uint8Array>,
): Promise<void> {
  const [, key = ""] = /^sec-websocket-key: *(\S+)/im.exec(head) ?? [];
  const stream = server.begin();
  await write(
    conn,
    octets(
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n" +
        `sec-websocket-accept: ${acceptOf(key)}\r\n\r\n`,
    ),
  );
  let rest: Uint8Array = new Uint8Array(0);
  for await (const bytes of reads) {
    const cameMs = performance.now();
    rest = joined(rest, bytes);
    for (let length = frameLength(rest); length <= rest.length; length = frameLength(rest)) {
      const opcode = rest[0] & 0x0f;
      const mask = rest.slice(MASK_AT, HEAD_BYTES);
      const payload = rest.slice(HEAD_BYTES, length).map((byte, i) => byte ^ mask[i % mask.length]);
      rest = rest.slice(length);
      const echo = joined(Uint8Array.of(LAST | opcode, payload.length), payload);
      if (opcode === CLOSE) await write(conn, echo);
      else if (opcode === TEXT && !stream.died) {
        server.echo(stream, cameMs, () => write(conn, echo))
          .then((lives) => lives ? undefined : conn.closeWrite())
          .catch(() => {}); // the client may have gone
      }
    }
  }
}

/** The length of the first frame; Infinity while its head is incomplete. */
function frameLength(bytes: Uint8Array): number {
  return bytes.length < 2 ? Infinity : HEAD_BYTES + (bytes[1] & 0x7f);
}

const HEAD = { ":status": "200", "content-type": "application/grpc" };

async function serveCalls(
  server: Server,
  conn: Deno.TcpConn,
  first: Uint8Array,
  reads: AsyncGenerator<Uint8Array>,
): Promise<void> {
  await write(conn, settings());
  const respond = async (id: number): Promise<void> => {
    const stream = server.begin();
    await write(conn, headers(id, HEAD));
    const isWhole = await server.play(
      stream,
      (k) => write(conn, frame(DATA, 0, id, inEnvelopes([Uint8Array.of(0x10, k & 0x7f)], false))),
    );
    if (isWhole) await write(conn, headers(id, { "grpc-status": "0" }, END_STREAM));
    else await conn.closeWrite();
  };
  const frames = new FrameReader();
  const take = async (bytes: Uint8Array, from: number): Promise<void> => {
    for (let at = from; at < bytes.length;) {
      at = frames.next(bytes, at, bytes.length);
      const { found, type, flags, stream, payload, isLast } = frames;
      if (found === NOTHING) continue;
      const ends = (flags & END_STREAM) !== 0 &&
        (found === CONTENT ? isLast : found === FRAME && type === HEADERS);
      if (ends) void respond(stream).catch(() => {}); // the client may have gone
      const isNew = found === FRAME && (flags & ACK) === 0;
      if (isNew && type === SETTINGS) await write(conn, frame(SETTINGS, ACK, 0));
      if (isNew && type === PING) {
        await write(conn, frame(PING, ACK, 0, payload.slice(frames.from, frames.to)));
      }
    }
  };
  await take(first, PREFACE.length);
  for await (const bytes of reads) await take(bytes, 0);
}

async function main(plan: Plan): Promise<void> {
  const server = new Server(plan);
  const listener = Deno.listen({ hostname: LOOPBACK, port: 0 });
  const accept = async (): Promise<void> => {
    for await (const conn of listener) {
      serve(server, conn).catch(() => {}).finally(() => conn[Symbol.dispose]()); // the client may have gone
    }
  };
  void accept();
  await Deno.stdout.write(new TextEncoder().encode(`${listener.addr.port}\n`));
  for await (const _ of Deno.stdin.readable);
  const text = new TextEncoder().encode(JSON.stringify(server.streams));
  for (let at = 0; at < text.length;) at += await Deno.stdout.write(text.subarray(at));
  Deno.exit();
}

if (import.meta.main) await main(JSON.parse(Deno.args[0]));
