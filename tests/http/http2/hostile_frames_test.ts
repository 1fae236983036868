/** Hostile frames, fed to a connection whole, octet by octet and in threes: the outcome is right, and bounded. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DATA, FrameReader, NOTHING } from "../../../base/http/http2/frames.ts";
import { HOSTILE_FRAMES, type HostileFrames } from "./hostile_frames.ts";
import { Client, joined, request, settings } from "./peer.ts";

/** Of what a client holds back to send. */
const MOST_WAITING_BYTES = 300_000;
/** Longer ones are not fed octet by octet. */
const MOST_OCTETS = 100_000;

function requestOf({ request: asked }: HostileFrames): Uint8Array<ArrayBuffer> {
  const method = asked ?? "GET";
  return request(method === "POST" ? { method, body: "x".repeat(100_000) } : { method });
}

/** A client that has read the frames in pieces of `size`, and what came of its requests. */
function read(
  row: HostileFrames,
  size: number,
): { client: Client; comes: string[]; mostWaiting: number } {
  const client = new Client(row.places, requestOf(row));
  const bytes = joinedOf([row.first ?? settings(), ...row.frames]);
  let mostWaiting = 0;
  for (let at = 0; at < bytes.length && client.connection.error === null; at += size) {
    const piece = bytes.slice(at, at + size);
    client.connection.read(piece, piece.length);
    mostWaiting = Math.max(mostWaiting, client.connection.out.length);
  }
  return { client, comes: client.events.map((event) => briefly(event)), mostWaiting };
}

/** `joined` is for small frames. */
function joinedOf(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** `0: 200 hello`, `0: malformed`, `0: reset`, `0: turned away`. */
function briefly(event: string): string {
  const [, place, kind, rest] =
    /^(\d+: )(response|malformed|reset|turned away) ?(.*)$/s.exec(event) ?? [];
  if (kind !== "response") return `${place}${kind}`;
  return `${place}${rest}${/^\d+$/.test(rest) ? " " : ""}`;
}

/** Octets of bodies that the client has sent, or is about to. */
function sentOf({ connection }: Client): number {
  const bytes = connection.out.take();
  const reader = new FrameReader();
  let sum = 0;
  for (let at = 0; at < bytes.length;) {
    at = reader.next(bytes, at, bytes.length);
    if (reader.found !== NOTHING && reader.type === DATA) sum += reader.to - reader.from;
  }
  return sum;
}

for (const [group, rows] of Object.entries(HOSTILE_FRAMES)) {
  for (const row of rows) {
    Deno.test(`${group}: ${row.what} (${row.section}) is taken for what it is, however it is cut`, () => {
      const length = joinedOf(row.frames).length;
      for (const size of length > MOST_OCTETS ? [16_384, 997] : [length + 100, 1, 3]) {
        const { client, comes, mostWaiting } = read(row, size);
        const { error, isLeaving } = client.connection;
        const cut = `in pieces of ${size}`;
        assert.deepEqual(comes, row.comes, `${error} ${cut}`);
        assert.equal(error?.split(":")[0], row.error, `${error} ${cut}`);
        assert.equal(isLeaving, row.error !== undefined || row.isLeaving === true, cut);
        assert.ok(mostWaiting < MOST_WAITING_BYTES, `${mostWaiting} octets wait ${cut}`);
        if (row.sentBytes !== undefined) assert.equal(sentOf(client), row.sentBytes, cut);
      }
    });
  }
}

Deno.test("frames that break off anywhere bring nothing, and what is whole is not lost", () => {
  for (const row of Object.values(HOSTILE_FRAMES).flat()) {
    const bytes = joined(settings(), ...row.frames);
    if (bytes.length > 300) continue;
    for (let end = 0; end < bytes.length; end++) {
      const client = new Client(row.places, requestOf(row));
      client.connection.read(bytes.slice(0, end), end);
      const came = client.events.map((event) => briefly(event));
      assert.deepEqual(came, row.comes.slice(0, came.length), `${row.what}, ${end} octets`);
    }
  }
});

/** As docs/field-trials-frames.md has them: its tables are these lines, whatever the widths of their columns. */
function pageLines(rows: readonly HostileFrames[]): string[] {
  return rows.map(({ what, section, comes, error, isLeaving }) => {
    const requests = comes.map((one) => one.split(": ")[1]).map((one) =>
      /^\d{3}/.exec(one)?.[0] ?? one
    );
    const connection = error ?? (isLeaving ? "takes no more requests" : "goes on");
    return `| ${what} | ${section} | ${requests.join(", ") || "–"} | ${connection} |`;
  });
}

Deno.test("docs/field-trials-frames.md lists all of them, with their outcomes", () => {
  const page = readFileSync(
    new URL("../../../docs/field-trials-frames.md", import.meta.url),
    "utf8",
  );
  const lines = page.split("\n").map((line) => line.replaceAll(/ +/g, " "));
  for (const [group, rows] of Object.entries(HOSTILE_FRAMES)) {
    const missing = pageLines(rows).filter((line) => !lines.includes(line));
    assert.equal(missing.join("\n"), "", group);
  }
});

Deno.test("no two rows have the same name, and there are more than 100", () => {
  const names = Object.values(HOSTILE_FRAMES).flat().map(({ what }) => what);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.length > 100, `${names.length}`);
});
