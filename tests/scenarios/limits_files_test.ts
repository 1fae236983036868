/** Files beyond their limits, which are not read. */
import assert from "node:assert/strict";
import { planFromFile } from "../../cli/experiment/plan.ts";
import { readResults } from "../../cli/results/reading.ts";
import { filesFrom } from "../../scenarios/file/disk_files.ts";
import { beyond, type LimitName, LIMITS, oneMoreThan } from "../../base/limits.ts";
import { benchOf } from "../cli/command_line.ts";
import { emptyFolder } from "../e2e/plateau.ts";

/** A file that has a size and no content: nothing of it may be read. */
function sparse(name: string, size: number, read: (path: string) => unknown): Promise<unknown> {
  const folder = emptyFolder();
  const path = `${folder.path}/${name}`;
  Deno.writeTextFileSync(path, "");
  Deno.truncateSync(path, size);
  return Promise.resolve(read(path)).finally(() => folder[Symbol.dispose]());
}

const TOO_LARGE: readonly (readonly [LimitName, string, (path: string) => unknown])[] = [
  [
    "foreignFile",
    "a.yaml",
    (path) =>
      planFromFile(path, {
        set: {},
        only: undefined,
        repeat: undefined,
        duration: undefined,
        seed: undefined,
      }),
  ],
  ["resultFile", "results.json", readResults],
  ["textFile", "a.txt", (path) => filesFrom("/").octets(path)],
  ["certificates", "a.pem", (path) => filesFrom("/").certificates(path)],
  ["body", "a.bin", (path) => benchOf("http://a/", "-b", `@${path}`)],
];

for (const [name, file, read] of TOO_LARGE) {
  Deno.test(`${file} is refused by its size, before it is read (${name})`, async () => {
    const size = 3 * LIMITS[name].most;
    const expected = beyond(name, size);
    await assert.rejects(async () => await sparse(file, size, read), (error) => {
      assert.ok(error instanceof Error && error.message.includes(expected), String(error));
      return true;
    });
  });
}

Deno.test("a device without an end is read up to the limit", async () => {
  const expected = beyond("certificates", oneMoreThan("certificates"));
  await assert.rejects(
    async () => await filesFrom("/").certificates("/dev/zero"),
    new Error(expected),
  );
});
