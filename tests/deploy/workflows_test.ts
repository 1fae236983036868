/** The workflows of docs/ci.md and of the repository, and the actions, by actionlint and by what they may do. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { readFileSync } from "node:fs";
import { VERSION } from "../../base/version.ts";
import { findProgram, needing, testWith } from "../needs.ts";
import {
  type Action,
  ACTIONS,
  FORKS,
  PULL_REQUESTS,
  readAction,
  readWorkflow,
  RELEASE,
  shownFile,
  textOf,
} from "./workflows.ts";
import { emptyFolder } from "../e2e/plateau.ts";

const withActionlint = needing("actionlint");

/** It knows the inputs of actions by their tags. */
function byTag(text: string): string {
  return text.replaceAll(/@[0-9a-f]{40} # (v\d+)\.\d+\.\d+$/gm, "@$1");
}

/** What actionlint says against a workflow; "" for nothing. Without other linters, which may or may not be there. */
function lint(text: string): string {
  using folder = emptyFolder();
  const path = join(folder.path, "workflow.yml");
  Deno.writeTextFileSync(path, byTag(text));
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

const WORKFLOWS = [PULL_REQUESTS, FORKS, RELEASE];

for (const name of WORKFLOWS) {
  withActionlint.test(`actionlint finds no fault in ${name}`, () => {
    assert.equal(lint(textOf(name)), "");
  });
}

for (const folder of ACTIONS) {
  withActionlint.test(`actionlint finds no fault in the steps of ${folder}/action.yml`, () => {
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
  const action = readAction(".");
  const { range: _, ...inputs } = action.inputs;
  assert.match(lint(asWorkflow({ ...action, inputs })), /"range" is not defined/);
});

Deno.test("what runs code of a pull request may only read, what may write runs none of it", () => {
  const { permissions, jobs: { measure, comment, ...others } } = readWorkflow(PULL_REQUESTS);
  assert.deepEqual([permissions, others], [{}, {}]);
  assert.deepEqual(measure.permissions, { contents: "read" });
  assert.deepEqual(comment.permissions, { contents: "read", "pull-requests": "write" });
  const forks = readWorkflow(FORKS);
  assert.deepEqual([forks.permissions, Object.keys(forks.jobs)], [{}, ["comment"]]);
  assert.deepEqual(forks.jobs.comment.permissions, {
    actions: "read",
    contents: "read",
    "pull-requests": "write",
  });
  const base = "${{ github.event.pull_request.base.sha }}"; // a run after another is of the default branch by itself
  assert.deepEqual(checkoutsOf(comment), [base]);
  assert.deepEqual(checkoutsOf(forks.jobs.comment), [undefined]);
  for (const { steps } of [comment, forks.jobs.comment]) {
    assert.ok(!steps.some(({ uses }) => uses === "./.plateau-action"));
  }
  for (const name of [PULL_REQUESTS, FORKS]) assert.doesNotMatch(shownFile(name), /_target/);
});

/** What each checkout of a job takes. */
function checkoutsOf(
  { steps }: ReturnType<typeof readWorkflow>["jobs"][string],
): (string | undefined)[] {
  return steps.filter(({ uses = "" }) => uses.startsWith("actions/checkout@"))
    .map(({ with: given }) => given.ref);
}

Deno.test("a release is drafted alone by what runs none of its code", () => {
  const { permissions, jobs } = readWorkflow(RELEASE);
  assert.deepEqual(permissions, {});
  const writing = Object.entries(jobs).filter(([, job]) =>
    Object.values(job.permissions).includes("write")
  );
  assert.deepEqual(writing.map(([name]) => name), ["draft"]);
  assert.deepEqual(checkoutsOf(jobs.draft), []);
  assert.match(jobs.draft.steps.at(-1)?.run ?? "", /gh release create .* --draft /);
});

testWith(["linux", "bash"], "a draft's checksums are those of its files, by their names", () => {
  using folder = emptyFolder();
  const dist = join(folder.path, "release/dist");
  const files = ["man/plateau.1", "npm/plateau-0.1.0.tgz", "winget/a.yaml", "plateau_0.1.0.deb"];
  const sums = files.map((name) => {
    Deno.mkdirSync(join(dist, dirname(name)), { recursive: true });
    Deno.writeTextFileSync(join(dist, name), name);
    return `${createHash("sha256").update(name).digest("hex")}  ${name}\n`;
  });
  Deno.writeTextFileSync(join(dist, "SHA256SUMS"), sums.join(""));
  const gh =
    '#!/bin/bash\nfor word; do [[ $word != release/dist/* ]] || cp "$word" drafted; done\n';
  Deno.writeTextFileSync(join(folder.path, "gh"), gh, { mode: 0o755 });
  Deno.mkdirSync(join(folder.path, "drafted"));
  const draft = readWorkflow(RELEASE).jobs.draft.steps.at(-1)?.run ?? "";
  runBash(draft, folder.path, { GITHUB_REF_NAME: "v0.1.0", GITHUB_REPOSITORY: "me/mine" });
  const drafted = join(folder.path, "drafted");
  const names = [...Deno.readDirSync(drafted)].map(({ name }) => name).sort();
  assert.deepEqual(names, ["SHA256SUMS", "a.yaml", "plateau-0.1.0.tgz", "plateau_0.1.0.deb"]);
  const checked = runBash("sha256sum --check --strict SHA256SUMS", drafted, {});
  assert.deepEqual(checked.trim().split("\n").sort(), names.slice(1).map((name) => `${name}: OK`));
});

/** As runners call it, with the programs of that folder before all others. */
function runBash(script: string, cwd: string, env: Readonly<Record<string, string>>): string {
  const { code, stdout, stderr } = new Deno.Command("bash", {
    args: ["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
    cwd,
    env: { ...env, PATH: `${cwd}:${Deno.env.get("PATH") ?? ""}` },
  }).outputSync();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

const FLAGS: readonly [text: string, flags: readonly string[]][] = [
  ["", []],
  ["--repeat=10\n", ["--repeat=10"]],
  ["\n--threshold=p99 < 5ms\n   \n-q", ["--threshold=p99 < 5ms", "-q"]],
];
for (const [text, flags] of FLAGS) {
  testWith(["bash"], `the action hands on the flags of ${JSON.stringify(text)}`, () => {
    using folder = emptyFolder();
    const { path } = folder;
    Deno.mkdirSync(join(path, "plateau-bin"));
    const program = '#!/bin/bash\nprintf "%s\\n" "$@"\n';
    Deno.writeTextFileSync(join(path, "plateau-bin/plateau"), program, { mode: 0o755 });
    const env = { COMMAND: "run", EXPERIMENT: "a.yaml", FLAGS: text, OUT: join(path, "out") };
    const output = join(path, "output");
    const measure = readAction(".").runs.steps.find(({ id }) => id === "measure")?.run ?? "";
    const said = runBash(measure, path, { ...env, RUNNER_TEMP: path, GITHUB_OUTPUT: output });
    assert.deepEqual(said.trimEnd().split("\n").slice(8), flags);
  });
}

Deno.test("the actions' scripts run in bash 3.2 and by the programs of a macOS, too", () => {
  const newer =
    /\b(?:mapfile|readarray|coproc)\b|\b(?:declare|local) -[nA]|\$\{\w+(?:,|\^|@)|&>>|\|&|;;?&|\[\[ -v/;
  const scripts = ACTIONS.flatMap((folder) => readAction(folder).runs.steps)
    .flatMap(({ run }) => run ?? []);
  assert.equal(scripts.length, 4);
  assert.deepEqual(scripts.filter((script) => newer.test(script)), []);
  assert.deepEqual(
    scripts.filter((script) => script.includes("sha256sum") && !script.includes("shasum")),
    [],
  );
});

Deno.test("every action of others is pinned to a commit, with its version beside it", () => {
  const texts = [
    ...WORKFLOWS.map(textOf),
    ...ACTIONS.map((folder) =>
      readFileSync(new URL(`../../${folder}/action.yml`, import.meta.url), "utf8")
    ),
  ];
  const uses = texts.flatMap((text) => text.match(/uses: .*/g) ?? []);
  const others = uses.filter((line) => !line.startsWith("uses: ./"));
  assert.ok(others.length > 8, `${others.length}`);
  const pinned = /^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  assert.deepEqual(others.filter((line) => !pinned.test(line)), []);
});

Deno.test("no expression stands in a script, where a name could be a command", () => {
  const steps = [
    ...WORKFLOWS.flatMap((name) =>
      Object.values(readWorkflow(name).jobs).flatMap(({ steps }) => steps)
    ),
    ...ACTIONS.flatMap((folder) => readAction(folder).runs.steps),
  ];
  const scripts = steps.flatMap(({ run }) => run ?? []);
  assert.equal(scripts.length, 11);
  assert.deepEqual(scripts.filter((script) => script.includes("${{")), []);
});

Deno.test("workflows use the actions that are here, with inputs that they have", () => {
  const uses = [PULL_REQUESTS, FORKS].flatMap((name) =>
    Object.values(readWorkflow(name).jobs).flatMap(({ steps }) => steps)
  ).filter(({ uses = "" }) => uses.startsWith("./"));
  assert.equal(uses.length, 3);
  for (const { uses: place = "", with: given } of uses) {
    const [, folder = "."] = /^\.\/\.plateau-action(?:\/(.+))?$/.exec(place) ?? [];
    const known = ACTIONS.find((known) => known === folder);
    assert.ok(known !== undefined, place);
    const { inputs } = readAction(known);
    assert.deepEqual(Object.keys(given).filter((name) => !(name in inputs)), []);
    const required = Object.keys(inputs).filter((name) => inputs[name].required);
    assert.deepEqual(required.filter((name) => !(name in given)), []);
  }
});

Deno.test("docs/ci.md pins the submodule to this version, and names every input of the action", () => {
  const page = readFileSync(new URL("../../docs/ci.md", import.meta.url), "utf8");
  assert.ok(page.includes(`git -C .plateau-action checkout v${VERSION}\n`));
  const inputs = Object.keys(readAction(".").inputs);
  assert.deepEqual(inputs.filter((name) => !page.includes(`\`${name}\``)), []);
});

Deno.test("nowhere is the name of an owner left open", () => {
  const texts = [
    ...WORKFLOWS.map(textOf),
    readFileSync(new URL("../../docs/ci.md", import.meta.url), "utf8"),
  ];
  assert.deepEqual(texts.filter((text) => /\bOWNER\b/.test(text)), []);
});
