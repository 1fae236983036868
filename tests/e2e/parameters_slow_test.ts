/** Parameters, factors and loads of an experiment file, from the file to the results. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { testWith } from "../needs.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";

const PROGRAM = join(import.meta.dirname ?? "", "../targets/fixtures/program.ts");

/** A program whose shell reads a variable that varies, and two scenarios, each with its load. */
const FILE = `name: chosen
parameters:
  scale: { usual: {}, brief: { repeat: 1, scenarios: { extra: { get: /extra } } } }
  connections: 1
targets:
  ours:
    command: [sh, -c, 'exec "${Deno.execPath()}" run -A "${PROGRAM}" "$\${HABIT}"']
    env: { HABIT: [serve, slow] }
scenarios:
  few: { get: "/few/\${connections}" }
  paced: { get: /paced, load: { rate: 20/s, duration: 700ms } }
load: { connections: "\${connections}", requests: 100 }
repeat: 2
`;

function readResults(folder: string): Results {
  return results.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
}

testWith(["linux"], "run puts in what --set says, and measures each value of a list", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "chosen.yaml");
  writeFileSync(file, FILE);
  const set = ["--set", "scale=brief", "--set", "connections=3"];
  const out = join(folder.path, "out");
  const { stdout } = await exits(0, ["run", file, ...set, "--out", out]);
  const { runs, experiment, missing } = readResults(out);
  assert.deepEqual(missing, []);
  assert.deepEqual(experiment.parameters, { scale: "brief", connections: 3 });
  const asked = runs.map(({ scenario, parameters, url, load }) => {
    const how = load.kind === "closed" ? `${load.connections} connections` : load.kind;
    return `${scenario} ${parameters["env.HABIT"]} ${new URL(url).pathname} ${how}`;
  });
  const each = (habit: string): string[] => [
    `extra ${habit} /extra 3 connections`,
    `few ${habit} /few/3 3 connections`,
    `paced ${habit} /paced rate`,
  ];
  assert.deepEqual(asked.sort(), [...each("serve"), ...each("slow")].sort());
  // The program that listens only after a second is the one that the variable asks for. Its start is known as late as a
  // machine that halts lets us see it.
  for (const { parameters, startUp } of runs) {
    if (parameters["env.HABIT"] === "slow") assert.ok(startUp !== null && startUp > 700);
  }
  assert.match(stdout, /^Load: 3 connections, 100 requests$/m);
  assert.match(stdout, /^Load: 20\.0 requests\/s over at most 50 connections, 0\.7 s/m);
  const page = readFileSync(join(out, "report.html"), "utf8");
  assert.match(page, /scale brief, connections 3/);
});

Deno.test("check shows what --set chooses, and every mistake in it is told with exit code 2", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "chosen.yaml");
  writeFileSync(file, FILE);
  const checked = await exits(2, [
    ...["check", file, "--set", "connections=[2, 4]", "--only", "scenario=paced"],
  ]); // a list cannot stand within the path of the other scenario
  assert.match(checked.stderr, /chosen\.yaml:10:15: scenarios\.few\.get: Cannot put the list/);
  const right = await exits(0, ["check", file, "--set", "scale=brief"]);
  assert.match(right.stdout, /^ {2}paced, ours · HABIT slow$/m);
  assert.match(right.stdout, /^Load of paced: 20\.0 requests/m);
  assert.match(right.stdout, /^Parameters: scale brief, connections 1$/m);
  const wrong = await plateau(["run", file, "--set", "scale=huge", "--set", "conections=1"]);
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /--set scale: Cannot choose "huge" \(the choices are usual, brief\)/);
  assert.match(wrong.stderr, /--set conections: .* \(did you mean "connections"\?\)/);
  const unread = await plateau(["check", file, "--set", "scale"]);
  assert.deepEqual([unread.code, unread.stdout], [2, ""]);
  assert.match(unread.stderr, /--set: .*write key=value/);
});
