/**
 * A connection to V8's inspector. It sends commands and receives their responses over a WebSocket, within limits of
 * size and time.
 */
import * as z from "zod";
import { messageOf } from "../../base/errors.ts";
import { KeptRoom } from "../../base/http/kept.ts";
import { clientFrame, LAST, TEXT } from "../../base/http/websocket/frames.ts";
import { MessageReader } from "../../base/http/websocket/message_reader.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
import { settlesWithin } from "../launch/settles.ts";
import { jsonOrNull } from "../../base/yaml/json_text.ts";

const OPEN_MS = 2_000;
/** The time limit for a response. A process that is busy with a long task responds only after it. */
const REPLY_MS = 10_000;

const reply = z.looseObject({
  id: z.number().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

export class Inspector {
  #lastId = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lost: Error | null = null;

  private constructor(private readonly conn: Deno.Conn) {}

  /** Opens the connection. Throws an Error if that fails or takes more than 2 s. */
  static async open(
    { port, path }: { readonly port: number; readonly path: string },
    signal: AbortSignal,
  ): Promise<Inspector> {
    const inspector = new Inspector(await dialed(port));
    signal.addEventListener("abort", () => inspector.close());
    if (signal.aborted) inspector.close();
    const opened = inspector.#upgrade(port, path);
    if (!await settlesWithin(opened, OPEN_MS).catch(() => true)) {
      inspector.#lose("its inspector does not respond");
    }
    if (inspector.#lost === null) return inspector;
    inspector.close();
    throw inspector.#lost;
  }

  /**
   * Calls a method. Throws an Error if the inspector refuses the call, does not respond within 10 s, or is no longer
   * connected.
   */
  async call(method: string, params: object = {}): Promise<unknown> {
    if (this.#lost !== null) throw this.#lost;
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    const timer = setTimeout(
      () => waiting.reject(new Error(`its inspector does not respond to ${method}`)),
      REPLY_MS,
    );
    const [mask] = crypto.getRandomValues(new Uint32Array(1));
    const text = new TextEncoder().encode(JSON.stringify({ id, method, params }));
    this.#send(clientFrame(LAST | TEXT, text, mask));
    return await waiting.promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(id);
    });
  }

  close(): void {
    this.#lose("the connection to its inspector is closed");
  }

  /** Sends the opening handshake (RFC 6455 §4.1), then reads all messages that arrive. */
  async #upgrade(port: number, path: string): Promise<void> {
    const key = crypto.getRandomValues(new Uint8Array(16)).toBase64();
    this.#send(new TextEncoder().encode(
      [
        `GET ${path} HTTP/1.1`,
        `Host: ${LOOPBACK}:${port}`,
        "Upgrade: websocket",
        "Connection: Upgrade",
        `Sec-WebSocket-Key: ${key}`,
        "Sec-WebSocket-Version: 13",
        "\r\n",
      ].join("\r\n"),
    ));
    const opened = Promise.withResolvers<void>();
    void this.#read(opened.resolve).catch((error) => this.#lose(messageOf(error)))
      .finally(opened.resolve);
    await opened.promise;
  }

  #send(bytes: Uint8Array): void {
    const write = async (): Promise<void> => {
      for (let at = 0; at < bytes.length;) at += await this.conn.write(bytes.subarray(at));
    };
    write().catch(() => this.#lose(CLOSED));
  }

  async #read(onOpened: () => void): Promise<void> {
    const buffer = new Uint8Array(READ_BYTES);
    const reader = new MessageReader({
      onMessage: (_, bytes, from, to) =>
        this.#take(new TextDecoder().decode(bytes.subarray(from, to))),
      ...{ onPing: () => {}, onPong: () => {}, onClose: () => {} },
    }, { room: new KeptRoom(), limit: "inspectorMessage" });
    let head = "";
    let isOpen = false;
    while (this.#lost === null && !reader.hasEnded) {
      const length = await this.conn.read(buffer).catch(() => null);
      if (length === null) break;
      let bytes = buffer.subarray(0, length);
      if (!isOpen) {
        const before = head.length;
        for (const byte of bytes) head += String.fromCharCode(byte);
        const end = head.indexOf("\r\n\r\n") + 4;
        if (end < 4 && head.length <= MOST_HEAD) continue;
        if (end < 4 || !/^HTTP\/1\.1 101 /.test(head)) throw new Error(UNREACHABLE);
        bytes = bytes.subarray(end - before);
        isOpen = true;
        onOpened();
      }
      reader.read(bytes, 0, bytes.length);
      if (reader.problem !== null) throw new Error(reader.problem.reason);
    }
    this.#lose(isOpen ? CLOSED : UNREACHABLE);
  }

  #take(message: string): void {
    const read = reply.safeParse(jsonOrNull(message));
    if (!read.success || read.data.id === undefined) return; // the message is an event
    const { id, result, error } = read.data;
    const waiting = this.#waiting.get(id);
    if (error !== undefined) waiting?.reject(new Error(`its inspector refuses: ${error.message}`));
    else waiting?.resolve(result);
  }

  #lose(why: string): void {
    if (this.#lost !== null) return;
    this.#lost = new Error(why);
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.conn.close();
  }
}

async function dialed(port: number): Promise<Deno.Conn> {
  const dialing = Deno.connect({ hostname: LOOPBACK, port });
  if (await settlesWithin(dialing, OPEN_MS)) return await dialing;
  dialing.then((conn) => conn.close(), () => {});
  throw new Error("its inspector does not respond");
}

const CLOSED = "its inspector has closed the connection";
const UNREACHABLE = "its inspector can't be reached";
const READ_BYTES = 65_536;
/** The largest head of the handshake's response, in bytes. */
const MOST_HEAD = 16_384;
