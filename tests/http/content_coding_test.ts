/** Content codings, against what the runtime's own encoders write. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import * as zlib from "node:zlib";
import { decodedContent } from "../../base/http/content_coding.ts";
import { LIMITS } from "../../base/limits.ts";
import { drawBy } from "../../base/random.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Encode = (bytes: Bytes) => Bytes;
const own = (bytes: Uint8Array): Bytes => new Uint8Array(bytes);

const FAST = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };

const ENCODERS: Readonly<Record<string, readonly [coding: string, encode: Encode]>> = {
  gzip: ["gzip", (bytes) => own(zlib.gzipSync(bytes))],
  "x-gzip": ["x-gzip", (bytes) => own(zlib.gzipSync(bytes))],
  "deflate in zlib's format": ["deflate", (bytes) => own(zlib.deflateSync(bytes))],
  "deflate alone": ["Deflate", (bytes) => own(zlib.deflateRawSync(bytes))],
  br: ["br", (bytes) => own(zlib.brotliCompressSync(bytes, FAST))],
  zstd: ["zstd", (bytes) => own(zlib.zstdCompressSync(bytes))],
};

const draw = drawBy(7);
const CONTENTS: Readonly<Record<string, Bytes>> = {
  "one byte": Uint8Array.of(120),
  "JSON": own(new TextEncoder().encode(JSON.stringify({ ok: true, list: [..."abcdef"] }))),
  "200 KB of chance": Uint8Array.from({ length: 200_000 }, () => draw(0, 255)),
  "1 MB of zeros": new Uint8Array(1_000_000),
};

for (const [name, [coding, encode]] of Object.entries(ENCODERS)) {
  Deno.test(`${name}: what is encoded is decoded again`, () => {
    for (const [what, content] of Object.entries(CONTENTS)) {
      const { bytes, problem } = decodedContent(encode(content), coding);
      assert.equal(problem, null, what);
      assert.ok(Buffer.from(bytes).equals(content), what);
    }
    assert.equal(decodedContent(encode(new Uint8Array(0)), coding).bytes.length, 0);
  });

  Deno.test(`${name}: a body that ends too early is a problem, and no content`, () => {
    for (const [what, content] of Object.entries(CONTENTS)) {
      const whole = encode(content);
      for (const share of [0.2, 0.5, 0.9]) {
        const cut = whole.slice(0, Math.max(1, Math.floor(whole.length * share)));
        const { bytes, problem } = decodedContent(cut, coding);
        assert.ok(problem !== null, `${what}, ${cut.length} of ${whole.length}`);
        assert.equal(bytes.length, 0);
      }
    }
  });

  Deno.test(`${name}: a bomb is refused`, () => {
    const bomb = encode(new Uint8Array(LIMITS.decodedBody.most + 1));
    assert.ok(bomb.length < 20_000);
    const { bytes, problem } = decodedContent(bomb, coding);
    assert.match(problem ?? "", /, the limit/);
    assert.equal(bytes.length, 0);
    const most = decodedContent(encode(new Uint8Array(LIMITS.decodedBody.most)), coding);
    assert.deepEqual([most.problem, most.bytes.length], [null, LIMITS.decodedBody.most]);
  });

  Deno.test(`${name}: plain text that is called so is a problem`, () => {
    const texts = [
      "no such thing, plain text",
      '{"ok":true}',
      "<!doctype html><title>x</title>",
      "x",
    ];
    for (const text of texts) {
      const { problem, bytes } = decodedContent(own(new TextEncoder().encode(text)), coding);
      assert.ok(problem !== null, text);
      assert.equal(bytes.length, 0);
    }
  });
}

Deno.test("several codings are taken off from the last to the first", () => {
  const text = own(new TextEncoder().encode("hello"));
  const twice = own(zlib.brotliCompressSync(zlib.gzipSync(text)));
  assert.deepEqual(own(decodedContent(twice, "gzip, identity , br").bytes), text);
  assert.match(decodedContent(twice, "br, gzip").problem ?? "", /its body is not valid gzip/);
  assert.match(decodedContent(text, "gzip,".repeat(5)).problem ?? "", /5 codings/);
});

Deno.test("an unknown coding is a problem; no coding, and no body, are none", () => {
  const text = own(new TextEncoder().encode("hello"));
  assert.match(decodedContent(text, "compress").problem ?? "", /compress is unknown/);
  assert.match(decodedContent(text, "constructor").problem ?? "", /constructor is unknown/);
  assert.equal(decodedContent(text, null).bytes, text);
  assert.equal(decodedContent(text, "").problem, null);
  assert.equal(decodedContent(new Uint8Array(0), "gzip").problem, null);
});
