import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { loadExperiment, parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { experiments } from "../../scenarios/experiments/registry.ts";
import { RIGHT, wrongLines } from "./right_experiment.ts";
import { rejected } from "../thrown.ts";
import { emptyFolder } from "../e2e/plateau.ts";

Deno.test("an experiment of three lines is whole by its defaults", () => {
  const experiment = parseExperiment(RIGHT, "x.yaml");
  assert.deepEqual(experiment.load, {
    connections: [50],
    pipeline: [1],
    timeout: [5_000],
    keepAlive: [true],
  });
  const { repeat, order, fresh, interval, optional } = experiment;
  assert.deepEqual({ repeat, order, fresh, interval, optional }, {
    repeat: 5,
    order: "shuffled",
    fresh: true,
    interval: 250,
    optional: [],
  });
});

const readable: Readonly<Record<string, string>> = {
  "JSON, indented with tabs":
    '{\n\t"name": "a",\n\t"targets": {"a": {"app": "api"}},\n\t"scenarios": {"s": {"get": "/"}}\n}',
  "an anchor, its alias and a merge key":
    "name: a\ntargets: { a: &a { app: api }, b: *a, c: { <<: *a, set: { log: on } } }\nscenarios: { s: { get: / } }",
  "names that look like numbers":
    "name: a\ntargets: { 1: { app: api } }\nscenarios: { 404: { get: / } }",
  "a byte order mark": `\ufeff${RIGHT}`,
};

for (const [sentence, text] of Object.entries(readable)) {
  Deno.test(`an experiment file may hold ${sentence}`, () =>
    assert.deepEqual(wrongLines(text), []));
}

Deno.test("every built-in experiment is right and named as it is called", async () => {
  for (const name of Object.keys(experiments)) {
    const { experiment, source, fileName } = await loadExperiment(name);
    assert.deepEqual({ name: experiment.name, source, fileName }, {
      name,
      source: experiments[name],
      fileName: `${name}.yaml`,
    });
  }
});

Deno.test("relative paths of an experiment start from the folder of its file", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "a.yaml");
  await Deno.writeTextFile(file, RIGHT);
  const { baseDir, fileName, source } = await loadExperiment(file);
  assert.deepEqual({ baseDir, fileName, source }, {
    baseDir: dirname(file),
    fileName: basename(file),
    source: RIGHT,
  });
});

const unreadable: Readonly<Record<string, [path: string, line: RegExp]>> = {
  "a misspelt name": ["quik", /^quik: Cannot find .* \(did you mean "quick"\?\)$/],
  "a name like no other": ["zzzzzzzz", /the built-in experiments are quick/],
  "a missing file": [join("no", "such.yaml"), /such\.yaml: Cannot find/],
  "a folder": [import.meta.dirname ?? "", /it is a folder/],
};

for (const [sentence, [path, line]] of Object.entries(unreadable)) {
  Deno.test(`loading an experiment says what is wrong with ${sentence}`, async () => {
    assert.match((await rejected(UserError, loadExperiment(path))).lines.join("\n"), line);
  });
}

Deno.test("every choice of the starter is right when its # is taken away", async () => {
  const starter = await Deno.readTextFile(
    join(import.meta.dirname ?? "", "../../cli/commands/starter.yaml"),
  );
  const inPhases = (text: string): string =>
    text.replace("# phases:", "phases:").replace(/^ *duration: .*$/m, "");
  /** What else is chosen with a choice. */
  const together: Readonly<Record<string, (text: string) => string>> = {
    requests: (text) => text.replace(/^ *duration: .*$/m, ""),
    login: (text) => text.replace("# ours:", "ours:"),
    phases: inPhases,
    page: inPhases,
    visit: inPhases,
    arrivals: inPhases,
    pool: inPhases,
    figures: (text) => text.replace(/^( *)duration: .*$/m, "$1duration: 5s"),
    // Which cores can be had is this machine's affair.
    pin: (text) => text.replace(/^pin: .*$/m, "pin: {}"),
  };
  // A choice goes on while its lines are further in.
  const choices = [...starter.matchAll(/^ *# (\w+):.*(?:\n *# {3,}.*)*$/gm)];
  for (const [lines, key] of choices) {
    const chosen = starter.replace(lines, lines.replaceAll(/^( *)# /gm, "$1"));
    assert.deepEqual(wrongLines(together[key]?.(chosen) ?? chosen), [], key);
  }
  assert.equal(choices.length, 44);
});
