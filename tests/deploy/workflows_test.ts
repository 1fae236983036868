/** The workflows of docs/ci.md and the actions of deploy/, by actionlint and by what they may do. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { stringify } from "yaml";
import { VERSION } from "../../base/version.ts";
import { findProgram, needing } from "../needs.ts";
import {
  type Action,
  ACTIONS,
  FORKS,
  PULL_REQUESTS,
  readAction,
  readWorkflow,
  shownFile,
} from "./workflows.ts";
import { emptyFolder } from "../e2e/plateau.ts";

const withActionlint = needing("actionlint");

/** What actionlint says against a workflow; "" for nothing. Without other linters, which may or may not be there. */
function lint(text: string): string {
  using folder = emptyFolder();
  const path = join(folder.path, "workflow.yml");
  Deno.writeTextFileSync(path, text);
  const args = ["-no-color", "-shellcheck=", "-pyflakes=", path];
  const program = findProgram("actionlint") ?? "actionlint";
  const { code, stdout, stderr } = new Deno.Command(program, { args }).outputSync();
  const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  assert.ok(code === 0 || code === 1, output);
  assert.equal(code === 0, output === "", output);
  return output;
}

/** Actionlint reads no steps of an action: the same as a job of a workflow with these inputs. */
function asWorkflow({ inputs, runs: { steps } }: Action): string {
  const called = Object.entries(inputs).map(([name, { default: preset, required }]) => [
    name,
    { type: "string", required, ...preset !== undefined && { default: preset } },
  ]);
  const job = { "runs-on": "ubuntu-latest", steps: steps.map(withoutEmpty) };
  return stringify({
    on: { workflow_call: { inputs: Object.fromEntries(called) } },
    permissions: {},
    jobs: { job },
  });
}

function withoutEmpty(step: object): object {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
  return Object.fromEntries(Object.entries(step).filter(([, value]) => !isEmpty(value)));
}

for (const name of [PULL_REQUESTS, FORKS]) {
  withActionlint.test(`actionlint finds no fault in ${name} of docs/ci.md`, () => {
    assert.equal(lint(shownFile(name)), "");
  });
}

for (const folder of ACTIONS) {
  withActionlint.test(`actionlint finds no fault in the steps of ${folder}`, () => {
    assert.equal(lint(asWorkflow(readAction(folder))), "");
  });
}

const broken: [why: string, file: string, right: RegExp, wrong: string, says: RegExp][] = [
  ["an input of an action that it does not have", PULL_REQUESTS, /fetch-depth/, "depth", /"depth"/],
  ["a permission that is none", PULL_REQUESTS, /contents: read/, "contents: reed", /"reed"/],
  ["a job that waits for none", PULL_REQUESTS, /needs: measure/, "needs: other", /"other"/],
  ["a step that is not there", FORKS, /id: pull/, "id: other", /"pull" is not defined/],
  [
    "a branch's name in a script",
    FORKS,
    /--raw-field "head=\$HEAD"/,
    "--raw-field head=${{ github.head_ref }}",
    /potentially untrusted/,
  ],
];
for (const [why, file, right, wrong, says] of broken) {
  withActionlint.test(`actionlint refuses ${why}`, () => {
    const text = shownFile(file);
    assert.match(text, right);
    assert.match(lint(text.replace(right, () => wrong)), says);
  });
}

withActionlint.test("actionlint refuses an input that an action uses and does not have", () => {
  const action = readAction("deploy/action");
  const { range: _, ...inputs } = action.inputs;
  assert.match(lint(asWorkflow({ ...action, inputs })), /"range" is not defined/);
});

Deno.test("what runs code of a pull request may only read, what may write runs none of it", () => {
  const { permissions, jobs: { measure, comment, ...others } } = readWorkflow(PULL_REQUESTS);
  assert.deepEqual([permissions, others], [{}, {}]);
  assert.deepEqual(measure.permissions, { contents: "read" });
  assert.deepEqual(comment.permissions, { "pull-requests": "write" });
  const forks = readWorkflow(FORKS);
  assert.deepEqual([forks.permissions, Object.keys(forks.jobs)], [{}, ["comment"]]);
  assert.deepEqual(forks.jobs.comment.permissions, { actions: "read", "pull-requests": "write" });
  for (const { steps } of [comment, forks.jobs.comment]) {
    assert.ok(!steps.some(({ uses = "" }) => /checkout|deploy\/action@/.test(uses)));
  }
  for (const name of [PULL_REQUESTS, FORKS]) assert.doesNotMatch(shownFile(name), /_target/);
});

Deno.test("no expression stands in a script, where a name could be a command", () => {
  const steps = [
    ...[PULL_REQUESTS, FORKS].flatMap((name) =>
      Object.values(readWorkflow(name).jobs).flatMap(({ steps }) => steps)
    ),
    ...ACTIONS.flatMap((folder) => readAction(folder).runs.steps),
  ];
  const scripts = steps.flatMap(({ run }) => run ?? []);
  assert.equal(scripts.length, 4);
  assert.deepEqual(scripts.filter((script) => script.includes("${{")), []);
});

Deno.test("workflows use the actions that are here, of this version, with inputs that they have", () => {
  const uses = [PULL_REQUESTS, FORKS].flatMap((name) =>
    Object.values(readWorkflow(name).jobs).flatMap(({ steps }) => steps)
  ).filter(({ uses = "" }) => uses.startsWith("OWNER/"));
  assert.equal(uses.length, 3);
  for (const { uses: place = "", with: given } of uses) {
    const [, folder, version] = /^OWNER\/plateau\/(.+)@v(.+)$/.exec(place) ?? [];
    assert.equal(version, VERSION);
    assert.ok(ACTIONS.some((known) => known === folder), folder);
    const { inputs } = readAction(folder);
    assert.deepEqual(Object.keys(given).filter((name) => !(name in inputs)), []);
    const required = Object.keys(inputs).filter((name) => inputs[name].required);
    assert.deepEqual(required.filter((name) => !(name in given)), []);
  }
});
