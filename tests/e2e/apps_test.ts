import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { results } from "../../runner/result.ts";
import { testWith } from "../needs.ts";
import { emptyFolder, plateau } from "./plateau.ts";

const APPS = join(import.meta.dirname ?? "", "fixtures/apps.yaml");

testWith(
  ["redis"],
  "run measures user, wiki and site, each with its settings as factors",
  async () => {
    using folder = emptyFolder();
    const { code, stderr } = await plateau(["run", APPS, "--out", folder.path]);
    assert.equal(code, 0, stderr);
    const text = readFileSync(join(folder.path, "results.json"), "utf8");
    const { runs, missing } = results.parse(JSON.parse(text));
    assert.deepEqual(missing, []);
    const cells = runs.map(({ scenario, parameters }) =>
      `${scenario} ${JSON.stringify(parameters)}`
    );
    assert.deepEqual(cells.sort(), [
      "page {}",
      'read {"set.renderCache":"off"}',
      'read {"set.renderCache":"on"}',
      'session {"set.renderCache":"off"}',
      'session {"set.renderCache":"on"}',
      'user {"set.cache":"none"}',
      'user {"set.cache":"redis"}',
    ]);
    for (const { scenario, requests, checks } of runs) {
      assert.ok(requests.completed > 0 && requests.failed === 0, scenario);
      assert.equal(checks.failed, 0, scenario);
    }
  },
);
