/**
 * One side of an HTTP/2 connection with no more than HPACK needs: field blocks in one frame each, settings and their
 * acknowledgement (RFC 9113 §4.1, §6.2 and §6.5).
 */
import assert from "node:assert/strict";
import type { Field } from "../../../base/http/http2/fields.ts";
import { HpackDecoder } from "../../../base/http/http2/hpack_decoder.ts";
import { HpackEncoder } from "../../../base/http/http2/hpack_encoder.ts";
import { octetsOf } from "../feed.ts";

const PREFACE = octetsOf("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const [HEADERS, RST_STREAM, SETTINGS, GOAWAY] = [1, 3, 4, 7];
const [ACK, END_STREAM, END_HEADERS] = [1, 1, 4];
const HEADER_TABLE_SIZE = 1;

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array<ArrayBuffer>;
}

export class RawPeer {
  readonly #encoder = new HpackEncoder();
  readonly #decoder: HpackDecoder;
  /** Sizes of the other side's table, in the order in which they came. */
  readonly sizes: number[] = [];

  constructor(private readonly conn: Deno.TcpConn, private readonly tableBytes: number) {
    this.#decoder = new HpackDecoder({ tableBytes });
  }

  /** What a client sends first (RFC 9113 §3.4). */
  async beginAsClient(): Promise<void> {
    await this.#write(PREFACE);
    await this.#sendSettings();
  }

  /** Waits until the client has taken the settings: with a request sent before, it need not mind them. */
  async beginAsServer(): Promise<void> {
    assert.deepEqual(await this.#read(PREFACE.length), PREFACE);
    await this.#sendSettings();
    for (;;) {
      const frame = await this.#readFrame();
      if (frame.type !== SETTINGS) continue;
      if (frame.flags === ACK) return;
      await this.#takeSettings(frame);
    }
  }

  async #sendSettings(): Promise<void> {
    const payload = new Uint8Array(6);
    const view = new DataView(payload.buffer);
    view.setUint16(0, HEADER_TABLE_SIZE);
    view.setUint32(2, this.tableBytes);
    await this.#send({ type: SETTINGS, flags: 0, stream: 0, payload });
  }

  /** Ends the stream. */
  async sendFields(stream: number, fields: readonly Field[]): Promise<void> {
    const payload = this.#encoder.encode(fields);
    await this.#send({ type: HEADERS, flags: END_STREAM | END_HEADERS, stream, payload });
  }

  /** Waits for the next block, and minds all settings before it. */
  async readFields(): Promise<{ readonly stream: number; readonly fields: readonly Field[] }> {
    for (;;) {
      const frame = await this.#readFrame();
      const { type, flags, stream, payload } = frame;
      assert.ok(type !== RST_STREAM && type !== GOAWAY, `frame of type ${type}: ${payload}`);
      if (type === SETTINGS) await this.#takeSettings(frame);
      if (type !== HEADERS) continue;
      // Neither padded nor with a priority.
      assert.equal(flags & ~END_STREAM, END_HEADERS);
      return { stream, fields: this.#decoder.decode(payload) };
    }
  }

  async #takeSettings({ flags, payload }: Frame): Promise<void> {
    if (flags === ACK) return;
    const view = new DataView(payload.buffer);
    for (let at = 0; at < payload.length; at += 6) {
      if (view.getUint16(at) !== HEADER_TABLE_SIZE) continue;
      this.sizes.push(view.getUint32(at + 2));
      this.#encoder.resize(view.getUint32(at + 2));
    }
    await this.#send({ type: SETTINGS, flags: ACK, stream: 0, payload: new Uint8Array(0) });
  }

  async #send({ type, flags, stream, payload }: Frame): Promise<void> {
    const bytes = new Uint8Array(9 + payload.length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, payload.length << 8 | type);
    view.setUint8(4, flags);
    view.setUint32(5, stream);
    bytes.set(payload, 9);
    await this.#write(bytes);
  }

  async #readFrame(): Promise<Frame> {
    const view = new DataView((await this.#read(9)).buffer);
    const payload = await this.#read(view.getUint32(0) >>> 8);
    return { type: view.getUint8(3), flags: view.getUint8(4), stream: view.getUint32(5), payload };
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.conn.write(bytes.subarray(at));
  }

  async #read(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length;) {
      const read = await this.conn.read(bytes.subarray(at));
      assert.notEqual(read, null, "the connection was closed");
      at += read ?? 0;
    }
    return bytes;
  }
}
