/** What a virtual user reads of a response: its coding, values to capture, cookies, and where it redirects. */
import { withEngine } from "../../../base/pattern.ts";
import { ResponseReader } from "../../../base/http/response.ts";
import { prepareDecoding } from "../../../base/http/content_coding.ts";
import { takerOf, whyOverlooked } from "../../../runner/load/engine/capture.ts";
import { cookieJars } from "../../../runner/load/engine/user/cookies.ts";
import { redirectOf } from "../../../runner/load/engine/user/redirects.ts";
import { gzipSync } from "node:zlib";
import { octetsOf } from "../../http/feed.ts";
import { type Decoder, Finding } from "../decoder.ts";

prepareDecoding();

const ORIGIN = "http://127.0.0.1:8080";
const jars = await cookieJars({ origin: ORIGIN, preset: { a: "b" } });

function response(fields: string, body: string | Uint8Array, status = "200 OK"): string {
  const content = typeof body === "string" ? body : String.fromCharCode(...body);
  return `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${content.length}\r\n\r\n${content}`;
}

const JSON_BODY = '{"id":1,"list":[{"a":"b"}],"token":"abc"}';
const samples = [
  response("Set-Cookie: id=1; Path=/; Max-Age=60; HttpOnly\r\nSet-Cookie: b=2\r\n", JSON_BODY),
  response("Location: /next?a=b#c\r\n", "", "302 Found"),
  response("Location: //127.0.0.1:8080/x\r\n", "", "307 Temporary Redirect"),
  response("Content-Encoding: gzip\r\n", gzipSync(JSON_BODY)),
];

const CAPTURES = [
  { kind: "json", path: ["list", "0", "a"] },
  { kind: "json", path: ["id"] },
  { kind: "cookie", name: "id" },
  { kind: "header", name: "location" },
  { kind: "pattern", source: '"(?:id|token)":\\s*"?([^",]*)' },
] as const;

function read(input: string): void {
  const reader = new ResponseReader({ retain: true });
  reader.begin(false);
  const bytes = octetsOf(input.replaceAll(/[^\0-\xff]/g, "?"));
  reader.read(bytes, 0, bytes.length);
  reader.end();
  const wire = { method: "POST", path: "/a?b", headers: { authorization: "x" }, body: "y" };
  const user = jars.open();
  user.keep(reader, () => `${ORIGIN}/a`);
  const { headers } = user.added({ ...wire, path: "/next" }, ORIGIN);
  if (/[\r\n\0]/.test(headers.cookie ?? "")) throw new Finding("a cookie breaks the next request");
  const redirect = redirectOf(reader, { wire, origin: 0 }, [ORIGIN]);
  if (redirect !== null && "wire" in redirect && /[\s\0]/.test(redirect.wire.path)) {
    throw new Finding("a redirect breaks the next request");
  }
  for (const from of CAPTURES) {
    const capture = { as: "value", from } as Parameters<typeof takerOf>[0];
    if (takerOf(capture)(reader) === null) whyOverlooked(capture, reader);
  }
}

export const content: Decoder = {
  seeds: {
    samples,
    words: [
      ...[
        "Set-Cookie: a=b; Domain=.com; Expires=Thu, 01 Jan 1970 00:00:00 GMT\r\n",
        "; Path=",
        "=",
        ";",
      ],
      ...[
        "Content-Encoding: br, gzip, zstd, deflate\r\n",
        "Location: http://[::1\r\n",
        "%00",
        "\x1f\x8b\x08",
      ],
    ],
  },
  decode: (input) => withEngine(() => read(input)),
};
