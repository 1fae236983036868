/** What mutated results come to in every command that reads them: a line that says what and where, or a page. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { emptyFolder } from "../e2e/plateau.ts";
import { MUTATIONS } from "./mutations.ts";
import type { Outcome } from "./result_readers.ts";

const READERS = 6;
const MOST_BYTES = 500_000_000;

/** All in one process, as each start takes longer than the reading. */
async function readAll(): Promise<Outcome[]> {
  using folder = emptyFolder();
  const program = fileURLToPath(new URL("result_readers.ts", import.meta.url));
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", program, folder.path],
  }).output();
  const [out, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(errors, "");
  return out.trim().split("\n").map((line) => JSON.parse(line));
}

Deno.test("mutated results end with a line that names the file and the place, or are shown harmlessly", async (test) => {
  const all = await readAll();
  for (const { name, refused } of MUTATIONS) {
    await test.step(name, () => {
      for (const { mutation, reader, file, lines, harm, defect } of all) {
        if (mutation !== name) continue;
        assert.equal(defect, undefined, reader);
        assert.deepEqual(harm ?? [], [], reader);
        if (refused === null) {
          // An experiment is gone on with where it began alone, and that was another machine.
          if (reader !== "--resume") assert.equal(lines, undefined, reader);
          continue;
        }
        assert.match(lines?.join("\n") ?? `${reader} took it`, refused);
        assert.ok(lines?.every((line) => line.startsWith(`${file}: Cannot read this as results`)));
      }
    });
  }
  await test.step("no reader took 500 MB", () => {
    const greedy = all.filter(({ peakBytes = 0 }) => peakBytes > MOST_BYTES);
    assert.deepEqual(greedy, []);
  });
  await test.step("18 mutations were tried, each on 6 readers", () => {
    assert.equal(MUTATIONS.length, 18);
    assert.equal(all.length, MUTATIONS.length * READERS);
  });
});
