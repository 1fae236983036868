/** The servers of examples/grpc.yaml, by grpc-js and Go, are installed, started and called. */
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { results } from "../../runner/result/result.ts";
import { testWith } from "../needs.ts";
import { emptyFolder, exits } from "./plateau.ts";

const EXAMPLES = join(import.meta.dirname ?? "", "../../examples");

testWith(["node", "npm", "go", "installs"], "both servers of the example serve gRPC", async () => {
  using folder = emptyFolder();
  for (const name of ["grpc.yaml", "grpc"]) {
    const filter = (path: string): boolean => !/node_modules|dist/.test(path);
    cpSync(join(EXAMPLES, name), join(folder.path, name), { recursive: true, filter });
  }
  const args = ["run", "grpc.yaml", "--duration", "1s", "--repeat", "1", "--out", "out"];
  await exits(0, args, { cwd: folder.path });
  const saved = readFileSync(join(folder.path, "out/results.json"), "utf8");
  const { runs } = results.parse(JSON.parse(saved));
  assert.equal(runs.length, 4);
  for (const { scenario, grpc, checks, requests, streams } of runs) {
    assert.deepEqual([checks.failed, requests.failed], [0, 0]);
    assert.deepEqual(grpc, { status: { OK: requests.completed }, noStatus: 0 });
    assert.equal(streams?.whole ?? 0, scenario === "hellos" ? requests.completed : 0);
    assert.equal(
      streams?.messages.received ?? 0,
      scenario === "hellos" ? 10 * requests.completed : 0,
    );
  }
});
