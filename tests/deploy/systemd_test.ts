import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram, testWith } from "../needs.ts";
import { emptyFolder } from "../e2e/plateau.ts";

const UNIT = fileURLToPath(new URL("../../deploy/systemd/plateau-agent.service", import.meta.url));
const text = Deno.readTextFileSync(UNIT);

/** What systemd says of a unit, whose program need not be there. */
function verify(unit: string): string {
  using folder = emptyFolder();
  const path = join(folder.path, "plateau-agent.service");
  Deno.writeTextFileSync(path, unit.replace("=/usr/local/bin/plateau ", `=${Deno.execPath()} `));
  const program = findProgram("systemd-analyze") ?? "systemd-analyze";
  const args = ["verify", path];
  const { success, stderr } = new Deno.Command(program, { args }).outputSync();
  return `${success ? "" : "failed\n"}${new TextDecoder().decode(stderr)}`;
}

testWith(["systemd-analyze"], "systemd has nothing to say against the agent's unit", () => {
  assert.equal(verify(text), "");
});

testWith(["systemd-analyze"], "systemd names a key that it does not know", () => {
  assert.match(verify(text.replace("LimitNOFILE", "LimitFiles")), /Unknown key.*LimitFiles/);
});
