import assert from "node:assert/strict";
import { linkSync, statSync } from "node:fs";
import { join } from "node:path";
import { CarefulFile } from "../../base/careful_file.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";

const TEXT = new TextEncoder().encode("a line\n");

/** What stands in the place of a file, and how the reason ends. */
const OTHERS: readonly { what: string; make: (path: string) => void; says: RegExp }[] = [
  {
    what: "a named pipe",
    make: (path) => void new Deno.Command("mkfifo", { args: [path] }).outputSync(),
    says: /^it is a pipe, device, socket or folder$/,
  },
  {
    what: "a link to a device",
    make: (path) => Deno.symlinkSync("/dev/full", path),
    says: /^it is a link$/,
  },
  {
    what: "a link to a file that is not there",
    make: (path) => Deno.symlinkSync(`${path}-elsewhere`, path),
    says: /^it is a link$/,
  },
  {
    what: "a folder",
    make: (path) => Deno.mkdirSync(path),
    says: /^it is a pipe, device, socket or folder$/,
  },
];

for (const { what, make, says } of OTHERS) {
  testWith(["linux"], `${what} in the place of a file is refused at once`, () => {
    using folder = emptyFolder();
    const path = join(folder.path, "file");
    make(path);
    for (const open of [CarefulFile.toRead, CarefulFile.toAppend]) {
      assert.throws(() => open(path), ({ message }: Error) => says.test(message));
    }
    assert.equal(statSync(`${path}-elsewhere`, { throwIfNoEntry: false }), undefined);
  });
}

testWith(["linux"], "a file with a second name is read, and not written to", () => {
  using folder = emptyFolder();
  const [path, other] = ["file", "other"].map((name) => join(folder.path, name));
  Deno.writeTextFileSync(other, "precious");
  linkSync(other, path);
  assert.throws(() => CarefulFile.toAppend(path), /second name/);
  using file = CarefulFile.toRead(path);
  const buffer = new Uint8Array(20);
  assert.equal(new TextDecoder().decode(buffer.subarray(0, file.read(buffer, 3))), "cious");
});

testWith(["linux"], "what is appended to can be read by its user alone", () => {
  using folder = emptyFolder();
  const path = join(folder.path, "file");
  for (const before of [null, "known before\n"]) {
    if (before !== null) Deno.writeTextFileSync(path, before, { mode: 0o666 });
    for (let times = 0; times < 2; times++) {
      using file = CarefulFile.toAppend(path);
      file.append(TEXT);
    }
    assert.equal(Deno.readTextFileSync(path), `${before ?? ""}a line\na line\n`);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  }
});
