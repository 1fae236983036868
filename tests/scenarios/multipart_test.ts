/** Forms of several parts that can't be sent, and what results hold of those that can. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { filesFrom } from "../../scenarios/file/disk_files.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";

const dir = Deno.makeTempDirSync();
Deno.writeTextFileSync(join(dir, "small.bin"), "\u0000hidden");
Deno.openSync(join(dir, "huge.bin"), { write: true, create: true }).truncateSync(17_000_000);
Deno.openSync(join(dir, "large.bin"), { write: true, create: true }).truncateSync(15_000_000);

function problemsOf(multipart: unknown, others: object = {}): string {
  const { error } = scenarioSpecWith(filesFrom(dir)).safeParse({ post: "/", multipart, ...others });
  return JSON.stringify(error?.issues);
}

const large = { file: "large.bin" };

const WRONG: Readonly<Record<string, readonly [problems: () => string, says: RegExp]>> = {
  "no fields": [() => problemsOf({}), /Cannot send a form without fields/],
  "only empty lists": [() => problemsOf({ a: [] }), /Cannot send a form without fields/],
  "a file that is not there": [() => problemsOf({ a: { file: "no.bin" } }), /there is no file/],
  "a huge file": [() => problemsOf({ a: { file: "huge.bin" } }), /17 MB; the limit is 16 MB/],
  "files that are huge together": [
    () => problemsOf({ a: [large, large, large, large, large] }),
    /the body of a request is 75 MB; the limit is 64 MB/,
  ],
  "files that are too many to be read": [() => {
    const names = Array.from({ length: 18 }, (_, at) => `large-${at}.bin`);
    for (const name of names) Deno.linkSync(join(dir, "large.bin"), join(dir, name));
    return problemsOf({ a: names.map((file) => ({ file })) });
  }, /the data that an experiment reads from files is 270 MB; the limit is 256 MB/],
  "thousands of fields": [
    () => problemsOf({ a: Array.from({ length: 1_001 }, String) }),
    /more than 1,000 fields, the limit/,
  ],
  "a type that begins another line": [
    () => problemsOf({ a: { file: "small.bin", type: "text/plain\r\nX-Evil: 1" } }),
    /Cannot use .* as a type/,
  ],
  "a content-type without the boundary": [
    () => problemsOf({ a: 1 }, { headers: { "Content-Type": "multipart/form-data" } }),
    /Plateau writes one that names the boundary/,
  ],
  "another body": [
    () => problemsOf({ a: 1 }, { body: "b" }),
    /Cannot send both body and multipart/,
  ],
  "a name without value": [() => problemsOf({ "{{ x }}": 1 }), /Cannot fill in \{\{ x \}\}/],
};

for (const [sentence, [problems, says]] of Object.entries(WRONG)) {
  Deno.test(`a multipart form can't have ${sentence}`, () => {
    assert.match(problems(), says);
  });
}

Deno.test("results hold the digest of a file in a form, and nothing of its content", () => {
  const spec = scenarioSpecWith(filesFrom(dir));
  const text = JSON.stringify(spec.parse({ post: "/", multipart: { a: { file: "small.bin" } } }));
  assert.match(text, /"file":\{"path":"small.bin","sha256":"[0-9a-f]{64}"\}/);
  assert.doesNotMatch(text, /hidden|base64/);
});
