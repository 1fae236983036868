/** Messages of a WebSocket, against those that RFC 6455 §5.7 prints. */
import assert from "node:assert/strict";
import { MessageReader, textFrame } from "../../base/http/websocket.ts";
import { LIMITS } from "../../base/limits.ts";

const octets = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.fromHex(text.replaceAll(" ", ""));

/** What is read where the bytes come in parts of a size. */
function messagesOf(bytes: Uint8Array, size: number): string[] {
  const reader = new MessageReader("inspectorList");
  const messages: string[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    messages.push(...reader.take(bytes.subarray(at, at + size)));
  }
  return messages;
}

Deno.test("messages are read from one frame or several, with a ping between, however they come", () => {
  const frames = "81 05 48 65 6c 6c 6f" + "01 03 48 65 6c 89 05 48 65 6c 6c 6f 80 02 6c 6f" +
    "81 7e 01 00" + "61".repeat(256) + "81 7f 00 00 00 00 00 00 00 02 62 62";
  for (const size of [1, 2, 3, 7, 1_000]) {
    assert.deepEqual(messagesOf(octets(frames), size), ["Hello", "Hello", "a".repeat(256), "bb"]);
  }
});

Deno.test("a text is sent masked, whatever its length", () => {
  assert.deepEqual(
    textFrame("Hello", octets("37 fa 21 3d")),
    octets("81 85 37 fa 21 3d 7f 9f 4d 51 58"),
  );
  const mask = new Uint8Array(4);
  assert.deepEqual(textFrame("a".repeat(300), mask).subarray(0, 4), octets("81 fe 01 2c"));
  assert.deepEqual(
    textFrame("a".repeat(70_000), mask).subarray(0, 10),
    octets("81 ff 00 00 00 00 00 01 11 70"),
  );
});

Deno.test("a message beyond its limit is refused before it has come, in one frame or in many", () => {
  const large = octets(`81 7f ${(LIMITS.inspectorList.most + 1).toString(16).padStart(16, "0")}`);
  assert.throws(() => messagesOf(large, 10), /more than 64 kB, the limit/);
  const begun = octets(`01 7e ff ff ${"61".repeat(65_535)} 00 01 61`);
  assert.throws(() => messagesOf(begun, 1_000), /more than 64 kB, the limit/);
});

Deno.test("frames that a server must not send are refused", () => {
  for (const frame of ["c1 00", "81 85 00 00 00 00 48 65 6c 6c 6f", "89 7e 01 00"]) {
    assert.throws(() => messagesOf(octets(frame), 20), /not those of a WebSocket/);
  }
});

Deno.test("nothing is read after the closing frame", () => {
  assert.deepEqual(messagesOf(octets("88 00 81 05 48 65 6c 6c 6f"), 4), []);
});
