/** Connections of HTTP/2 that share memory: none sees anything of another. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  DATA,
  END_STREAM,
  FrameBuffers,
  FrameWriter,
  PING,
  settingsPayload,
} from "../../../base/http/http2/frames.ts";
import { HpackDecoder } from "../../../base/http/http2/hpack_decoder.ts";
import { asHttp2 } from "../../../base/http/http2/request.ts";
import { SharedMemory } from "../../../base/http/http2/shared_memory.ts";
import { RequestSender, Stream } from "../../../base/http/http2/stream.ts";
import { forAll } from "../../for_all.ts";
import { Client, data, headers, joined, octets, request, settings } from "./peer.ts";

const BYTES = joined(settings(), headers(1, { ":status": "200" }), data(1, "text", END_STREAM));
const RESPONSE = ["0: response 200 text"];
/** Size of a frame's head. */
const FRAME_HEAD = 9;
const HEADER_TABLE_SIZE = 1;

function clients(count: number): Client[] {
  const memory = new SharedMemory();
  return Array.from({ length: count }, () => new Client(1, request(), true, memory));
}

Deno.test("a frame that comes in part is put together, whatever comes on other connections meanwhile", () => {
  for (let cut = 1; cut < BYTES.length; cut++) {
    const [one, other, whole] = clients(3);
    one.read(BYTES.slice(0, cut));
    other.read(BYTES.slice(0, -cut));
    assert.deepEqual(whole.read(BYTES), RESPONSE);
    assert.deepEqual(one.read(BYTES.slice(cut)), RESPONSE);
    assert.deepEqual(other.read(BYTES.slice(-cut)), RESPONSE);
  }
});

Deno.test("a connection that breaks within a frame leaves the others as they are", () => {
  const [broken, other] = clients(2);
  const tooLong = Uint8Array.of(0xff, 0xff, 0xff, DATA, 0, 0, 0, 0, 1);
  assert.match(broken.read(joined(settings(), tooLong))[0], /^FRAME_SIZE_ERROR/);
  assert.deepEqual(other.read(BYTES), RESPONSE);
});

Deno.test("octets that were handed over stay unchanged until they are sent", () => {
  const buffers = new FrameBuffers();
  const [one, other] = [new FrameWriter(buffers), new FrameWriter(buffers)];
  const ping = (writer: FrameWriter, text: string): Uint8Array => {
    writer.frame(PING, 0, 0, octets(text));
    return writer.take();
  };
  const textOf = (frame: Uint8Array): string => String.fromCharCode(...frame.subarray(9));
  const first = ping(one, "11111111");
  one.reuse();
  const second = ping(other, "22222222");
  assert.equal(second.buffer, first.buffer, "the buffer of the one goes to the other");
  const third = ping(one, "33333333");
  const fourth = ping(other, "44444444");
  assert.deepEqual([second, third, fourth].map(textOf), ["22222222", "33333333", "44444444"]);
});

Deno.test("requests mean on each connection what its own table says, in whichever order they are sent", () => {
  const fields: Record<string, string>[] = [{ a: "1" }, { b: "2" }, { a: "1", b: "2" }];
  const requests = fields.map((headers) => asHttp2(request({ headers }), "http"));
  const connection = fc.nat(1);
  const send = fc.record({
    connection,
    request: fc.nat(requests.length - 1),
    isSent: fc.boolean(),
  });
  const resize = fc.record({ connection, tableBytes: fc.constantFrom(0, 100, 4_096) });
  forAll([fc.array(fc.oneof({ weight: 9, arbitrary: send }, resize))], (actions) => {
    const memory = new SharedMemory();
    const sides = [0, 1].map(() => ({
      sender: new RequestSender(memory),
      decoder: new HpackDecoder(),
      stream: new Stream(null),
      unsent: [] as { readonly bytes: Uint8Array; readonly copy: Uint8Array }[],
    }));
    for (const action of actions) {
      const { sender, decoder, stream, unsent } = sides[action.connection];
      if ("tableBytes" in action) {
        const payload = settingsPayload([[HEADER_TABLE_SIZE, action.tableBytes]]);
        sender.set(payload, 0, payload.length, []);
        continue;
      }
      stream.begin(1, requests[action.request], 0);
      sender.begin(stream);
      const bytes = sender.out.take();
      assert.deepEqual(decoder.decode(bytes.slice(FRAME_HEAD)), requests[action.request].fields);
      unsent.push({ bytes, copy: bytes.slice() });
      for (const { bytes, copy } of sides.flatMap(({ unsent }) => unsent)) {
        assert.deepEqual(bytes, copy);
      }
      if (!action.isSent) continue;
      sender.out.reuse();
      unsent.splice(0);
    }
  });
});
