/** The shop of examples/: a login, a list behind a redirect, an upload and a logout, by a session cookie. */
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { results } from "../../runner/result/result.ts";
import { testWith } from "../needs.ts";
import { emptyFolder, exits } from "./plateau.ts";

const EXAMPLES = join(import.meta.dirname ?? "", "../../examples");

const STEPS = [
  ...["login", "login (redirected)", "add", "add (redirected)", "photo", "logout", "after logout"],
];

testWith(["node", "npm", "installs"], "every customer of the example's shop buys", async () => {
  using folder = emptyFolder();
  for (const name of ["shop.yaml", "shop"]) {
    const filter = (path: string): boolean => !path.includes("node_modules");
    cpSync(join(EXAMPLES, name), join(folder.path, name), { recursive: true, filter });
  }
  const args = ["run", "shop.yaml", "--duration", "3s", "--repeat", "1", "--out", "out"];
  await exits(0, args, { cwd: folder.path });
  const saved = readFileSync(join(folder.path, "out/results.json"), "utf8");
  const { runs } = results.parse(JSON.parse(saved));
  assert.equal(runs.length, 3);
  for (const { steps = [], checks, errors } of runs) {
    const sent = steps.filter(({ requests }) => requests.due > 0);
    assert.deepEqual(sent.map(({ name }) => name), STEPS);
    assert.equal(checks.failed, 0);
    assert.deepEqual(Object.values(errors).filter((count) => count > 0), []);
    const [login, page] = sent;
    assert.match(Object.keys(login.status).join(), /^3\d\d$/);
    assert.ok(page.requests.completed <= login.requests.completed);
    assert.match(Object.keys(sent[sent.length - 1].status).join(), /^4\d\d$/);
  }
});
