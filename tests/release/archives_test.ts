/** Archives as the programs read them that they are for. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { emptyFolder } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";
import { ar } from "../../release/archives/ar.ts";
import { type ArchiveFile, textFile } from "../../release/archives/entry.ts";
import { gzip } from "../../release/archives/gzip.ts";
import { tar } from "../../release/archives/tar.ts";
import { zip } from "../../release/archives/zip.ts";

const TIME_S = Date.UTC(2026, 0, 31, 12, 30, 10) / 1000;
const LONG = `${"folder/".repeat(20)}file.txt`;
const FILES: readonly ArchiveFile[] = [
  textFile("b/text", "second\n"),
  { path: "a", content: new Uint8Array(70_000).map((_, i) => i * i), mode: 0o755 },
  textFile("empty", ""),
  textFile(LONG, "far down\n"),
];

function outputOf(program: string, ...args: string[]): string {
  const { success, stdout, stderr } = new Deno.Command(program, { args, env: { TZ: "UTC" } })
    .outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

function assertUnpacked(folder: string): void {
  for (const { path, content, mode } of FILES) {
    const place = join(folder, path);
    assert.deepEqual(Deno.readFileSync(place), content, path);
    const { mode: unpacked, mtime } = Deno.statSync(place);
    assert.equal((unpacked ?? 0) & 0o777, mode, path);
    assert.equal(mtime?.getTime(), TIME_S * 1000, path);
  }
}

testWith(["tar"], "tar unpacks what we pack, with modes and times", () => {
  using folder = emptyFolder();
  const archive = join(folder.path, "a.tar.gz");
  Deno.writeFileSync(archive, gzip(tar(FILES, { timeS: TIME_S })));
  outputOf("tar", "-xzf", archive, "-C", folder.path);
  assertUnpacked(folder.path);
});

testWith(["python"], "Python's zipfile finds no fault with a zip, and reads each file", () => {
  using folder = emptyFolder();
  const archive = join(folder.path, "a.zip");
  Deno.writeFileSync(archive, zip(FILES, TIME_S));
  const program = `import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps([[i.filename, i.date_time, i.external_attr >> 16, list(z.read(i))] for i in z.infolist()]))`;
  const read = JSON.parse(outputOf("python3", "-c", program, archive));
  const expected = [...FILES].sort((a, b) => a.path < b.path ? -1 : 1)
    .map(({ path, mode, content }) => [
      ...[path, [2026, 1, 31, 12, 30, 10], 0o100000 | mode, [...content]],
    ]);
  assert.deepEqual(read, expected);
});

Deno.test("the order of files and the time of day change nothing in an archive", () => {
  const reversed = [...FILES].reverse();
  assert.deepEqual(tar(FILES, { timeS: TIME_S }), tar(reversed, { timeS: TIME_S }));
  assert.deepEqual(zip(FILES, TIME_S), zip(reversed, TIME_S));
  const packed = gzip(FILES[0].content);
  assert.deepEqual([...packed.subarray(4, 8)], [0, 0, 0, 0]); // RFC 1952: MTIME 0 is no time
  assert.deepEqual(new Uint8Array(gunzipSync(packed)), FILES[0].content);
});

Deno.test("a path that a tar archive cannot hold is refused", () => {
  const path = `${"x".repeat(101)}`;
  assert.throws(() => tar([textFile(path, "")], { timeS: TIME_S }), /Cannot put this path/);
});

Deno.test("members of an ar archive begin at even places, each with a header of 60 bytes", () => {
  const archive = new TextDecoder().decode(ar([textFile("odd", "abc"), textFile("next", "d")], 7));
  assert.equal(archive.slice(0, 8), "!<arch>\n");
  assert.equal(archive.slice(8 + 58, 8 + 60), "`\n");
  assert.equal(archive.slice(8 + 60 + 4, 8 + 60 + 8), "next");
});
