/** Values that may stand nowhere, and where they stand all the same, however they are written there. */
import { Buffer } from "node:buffer";
import { unzipSync } from "node:zlib";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Each has what formats escape in its later part, and is looked for by its first part alone. */
const PLACES = [
  ...["header", "query", "title", "printed", "cookie", "basic", "body", "marked", "given"],
  ...["address", "collector"],
] as const;
export type Place = (typeof PLACES)[number];

export function canaryOf(place: Place): string {
  return `${needleOf(place)}"<&'+/%é`;
}

function needleOf(place: Place): string {
  return `kanarie${PLACES.indexOf(place)}${place}`;
}

/** `out/report.html: header`: each canary with what holds it. */
export function findCanaries(texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    const readings = readingsOf(text);
    return PLACES.filter((place) => readings.some((each) => each.includes(needleOf(place))))
      .map((place) => `${name}: ${place}`);
  });
}

/** All files of a folder and of those in it. */
export function filesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files.filter((file) => file.isFile()).map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), readFileSync(path, "latin1")];
    }),
  );
}

/** The text, and what it hides: base64, also of what is packed, percent-encoding, escapes of JSON. */
function readingsOf(text: string): string[] {
  const runs = text.match(/[\w+/-]{12,}/g) ?? [];
  const decoded = runs.flatMap((run) =>
    [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), "base64"))
  );
  return [
    text,
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, octet) => String.fromCharCode(parseInt(octet, 16))),
    text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, unit) => String.fromCharCode(parseInt(unit, 16))),
    decoded.map((bytes) => bytes.toString("latin1")).join("\n"),
    ...decoded.filter(isPacked).flatMap(unpacked),
  ];
}

/** How zlib (RFC 1950 §2.2) and gzip (RFC 1952 §2.3.1) begin. */
function isPacked(bytes: Buffer): boolean {
  return bytes.length > 20 && (bytes[0] === 0x78 || (bytes[0] === 0x1f && bytes[1] === 0x8b));
}

function unpacked(bytes: Buffer): string[] {
  try {
    return [unzipSync(bytes).toString("latin1")];
  } catch {
    return [];
  }
}

/** Answers with all that it is asked, in several ways of writing it. */
export function startEcho(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const asked = { url: request.url, headers: [...request.headers], body: await request.text() };
    const text = JSON.stringify(asked);
    const body = `${text}\n${encodeURIComponent(text)}\n${
      new TextEncoder().encode(text).toBase64()
    }`;
    return new Response(body, { headers: { "content-type": "text/plain" } });
  });
}
