/** The Ghost of examples/: an author logs in, writes a note, reads it and logs out. */
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { results } from "../../runner/result/result.ts";
import { testWith } from "../needs.ts";
import { emptyFolder, plateau } from "./plateau.ts";

const EXAMPLES = join(import.meta.dirname ?? "", "../../examples");

testWith(["node", "npm", "installs"], "authors write in the example's Ghost", async () => {
  using folder = emptyFolder();
  for (const name of ["ghost.yaml", "ghost"]) {
    const filter = (path: string): boolean => !/node_modules|ghost\.db/.test(path);
    cpSync(join(EXAMPLES, name), join(folder.path, name), { recursive: true, filter });
  }
  const args = ["run", "ghost.yaml", "--duration", "3s", "--repeat", "1", "--out", "out"];
  const { code, stdout, stderr } = await plateau(args, { cwd: folder.path });
  assert.equal(code, 0, stdout + stderr);
  const saved = readFileSync(join(folder.path, "out/results.json"), "utf8");
  const { runs } = results.parse(JSON.parse(saved));
  assert.equal(runs.length, 3);
  for (const { steps = [], checks, errors } of runs) {
    assert.deepEqual(steps.map(({ name }) => name), ["login", "write", "read", "logout"]);
    assert.equal(checks.failed, 0);
    assert.deepEqual(Object.values(errors).filter((count) => count > 0), []);
    const [login, write] = steps;
    assert.ok(login.requests.completed > 0);
    assert.ok(write.requests.completed <= login.requests.completed);
  }
});
