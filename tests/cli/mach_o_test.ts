import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { machOProblems } from "../../cli/compiled/mach_o.ts";
import { assertRuns } from "../../cli/compiled/program.ts";

const PAGE = 4_096;
const CODE_BYTES = 2 * PAGE + 100;
const DIRECTORY_BYTES = 88 + 2 + 3 * 32;
const SIGNATURE_BYTES = 20 + DIRECTORY_BYTES;

/** A file of three pages and a signature, as `codesign --sign -` lays them out. */
function signedFile(): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(CODE_BYTES + SIGNATURE_BYTES);
  const view = new DataView(file.buffer);
  view.setUint32(0, 0xfeedfacf, true);
  view.setUint32(16, 2, true); // ncmds
  view.setUint32(32, 0x19, true); // LC_SEGMENT_64
  view.setUint32(36, 72, true);
  file.set(new TextEncoder().encode("__LINKEDIT"), 40);
  view.setBigUint64(72, BigInt(PAGE), true); // fileoff
  view.setBigUint64(80, BigInt(file.length - PAGE), true); // filesize
  view.setUint32(104, 0x1d, true); // LC_CODE_SIGNATURE
  view.setUint32(108, 16, true);
  view.setUint32(112, CODE_BYTES, true);
  view.setUint32(116, SIGNATURE_BYTES, true);
  file.fill(7, PAGE, CODE_BYTES);
  sign(file, view);
  return file;
}

function sign(file: Uint8Array<ArrayBuffer>, view: DataView): void {
  view.setUint32(CODE_BYTES, 0xfade0cc0);
  view.setUint32(CODE_BYTES + 4, SIGNATURE_BYTES);
  view.setUint32(CODE_BYTES + 8, 1);
  view.setUint32(CODE_BYTES + 16, 20);
  const directory = CODE_BYTES + 20;
  view.setUint32(directory, 0xfade0c02);
  view.setUint32(directory + 4, DIRECTORY_BYTES);
  view.setUint32(directory + 16, 90); // hashOffset
  view.setUint32(directory + 28, 3); // nCodeSlots
  view.setUint32(directory + 32, CODE_BYTES); // codeLimit
  view.setUint8(directory + 36, 32);
  view.setUint8(directory + 37, 2); // SHA-256
  view.setUint8(directory + 39, 12); // log2 of the page
  for (let page = 0; page < 3; page++) {
    const code = file.subarray(page * PAGE, Math.min(CODE_BYTES, (page + 1) * PAGE));
    file.set(createHash("sha256").update(code).digest(), directory + 90 + 32 * page);
  }
}

Deno.test("a signed program for macOS has no problem", () => {
  assert.deepEqual(machOProblems(signedFile()), []);
});

const BROKEN: [
  what: string,
  change: (file: Uint8Array<ArrayBuffer>, view: DataView) => void,
  problem: RegExp,
][] = [
  [
    "a changed byte",
    (file) => file[PAGE + 5]++,
    /^1 of 3 pages do not match their hash, the first of them page 1$/,
  ],
  ["a changed last page", (file) => file[CODE_BYTES - 1]++, /^1 of 3 pages .* page 2$/],
  ["another file", (file) => file.fill(0, 0, 4), /not a 64-bit Mach-O file/],
  ["no signature", (_, view) => view.setUint32(104, 0x2, true), /has no signature/],
  [
    "a signature of less",
    (_, view) => view.setUint32(CODE_BYTES + 52, PAGE),
    /signature covers 4096 bytes, not the 8292 bytes before it/,
  ],
  [
    "a signature behind the file's end",
    (_, view) => view.setUint32(116, 1e6, true),
    /beyond the end of the file/,
  ],
  [
    "a segment behind the file's end",
    (_, view) => view.setBigUint64(80, 100_000n, true),
    /segment __LINKEDIT extends beyond/,
  ],
  [
    "a signature outside its segment",
    (_, view) => view.setBigUint64(80, 10n, true),
    /not within segment __LINKEDIT/,
  ],
  [
    "a missing hash",
    (_, view) => view.setUint32(CODE_BYTES + 48, 2),
    /^it has 2 hashes for 3 pages$/,
  ],
  ["SHA-1", (_, view) => view.setUint8(CODE_BYTES + 57, 1), /are of kind 1, not SHA-256/],
];

for (const [what, change, problem] of BROKEN) {
  Deno.test(`a program for macOS with ${what} is refused`, () => {
    const file = signedFile();
    change(file, new DataView(file.buffer));
    assert.match(machOProblems(file)[0], problem);
  });
}

Deno.test("what macOS would end is found where it is compiled, and other systems are not looked at", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const program = join(folder, "plateau");
    const file = signedFile();
    Deno.writeFileSync(program, file);
    assertRuns(program, "aarch64-apple-darwin");
    file[PAGE + 5]++;
    Deno.writeFileSync(program, file);
    assert.throws(
      () => assertRuns(program, "aarch64-apple-darwin"),
      /Cannot compile for aarch64-apple-darwin, because macOS would kill it: 1 of 3 pages/,
    );
    assertRuns(program, "x86_64-unknown-linux-gnu");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
