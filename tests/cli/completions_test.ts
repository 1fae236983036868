/** The scripts of the completions in the shells that they are for. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { bashScript, typedCommand } from "../../cli/completions/scripts.ts";
import * as z from "zod";
import { emptyFolder, exits, plateau } from "../e2e/plateau.ts";
import { type Need, testWith } from "../needs.ts";
import { printedBy } from "./command_line.ts";

const bash = await printedBy("completions", "bash");
const zsh = await printedBy("completions", "zsh");
const fish = await printedBy("completions", "fish");

/** The lines that a shell prints, given a script in a file of its own. */
async function linesOf(
  shell: string,
  { script, args, ask, env = {} }: {
    script: string;
    args: readonly string[];
    ask: string;
    env?: Record<string, string>;
  },
): Promise<string[]> {
  using folder = emptyFolder();
  const file = join(folder.path, "script");
  await Deno.writeTextFile(file, script);
  await Deno.writeTextFile(join(folder.path, "mine.yaml"), "");
  const { success, stdout, stderr } = await new Deno.Command(shell, {
    args: [...args, `source ${file}\n${ask}`],
    cwd: folder.path,
    env: { HOME: folder.path, ...env },
  }).output();
  const decoder = new TextDecoder();
  assert.deepEqual([success, decoder.decode(stderr)], [true, ""]);
  return decoder.decode(stdout).split("\n").filter(Boolean);
}

/** As readline would split the line, of which the last word is being typed. */
function inBash(script: string, ...typed: string[]): Promise<string[]> {
  const words = typed.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(plateau ${words}) COMP_CWORD=${typed.length}
_plateau 2>/dev/null
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return linesOf("bash", { script, args: ["--norc", "-c"], ask });
}

/** Each word, without what is told of it. */
async function inFish(line: string): Promise<string[]> {
  const ask = `complete -C ${JSON.stringify(`plateau ${line}`)}`;
  const lines = await linesOf("fish", { script: fish, args: ["--no-config", "-c"], ask });
  return lines.map((line) => line.split("\t")[0]);
}

/** What the completion hands to `_arguments` or `_describe`, an argument a line. */
function inZsh(...typed: string[]): Promise<string[]> {
  const ask = `_arguments() { print -rl -- "$@" }
_describe() { print -rl -- \${(P)4} }
words=(plateau ${typed.map((word) => `'${word}'`).join(" ")}) CURRENT=${typed.length + 1}
_plateau`;
  const script = `compdef() {}\n${zsh}`; // without zsh's own completions, which take long to be read
  return linesOf("zsh", { script, args: ["-f", "-c"], ask });
}

const NAMES =
  "run bench capacity ab versus plan agent agents serve report compare list init check doctor schema setup explain mcp completions";

const asked: [sentence: string, typed: string[], words: string[]][] = [
  ["the commands", [""], [...NAMES.split(" "), "--help", "--version"]],
  ["the commands that begin so", ["c"], ["capacity", "compare", "check", "completions"]],
  ["options that begin so", ["bench", "--expect-"], ["--expect-status", "--expect-body"]],
  ["options after an operand", ["bench", "http://h/", "--csv"], ["--csv", "--csv-intervals"]],
  ["the words that an option takes", ["bench", "--driver", ""], ["auto", "epoll", "tcp"]],
  ["those after an equals sign", ["bench", "--driver", "=", "e"], ["epoll"]],
  ["those right after it", ["bench", "--arrivals", "="], ["uniform", "poisson"]],
  ["the words that an operand can be", ["schema", ""], [
    "experiment",
    "results",
    "bench",
    "capacity",
  ]],
  ["built-in experiments", ["run", "qui"], ["quick"]],
  ["nothing for a number, so that no file is offered", ["bench", "-c", ""], []],
  ["nothing for a file, as bash has those", ["report", ""], []],
  ["nothing of a hidden command", ["superv"], []],
];

for (const [sentence, typed, words] of asked) {
  testWith(["bash"], `bash completes ${sentence}`, async () => {
    assert.deepEqual(await inBash(bash, ...typed), words);
  });
}

testWith(["bash"], "a new command or option is completed by its declaration alone", async () => {
  const parts = {
    level: { flags: "-l, --level <L>", about: "How much", schema: z.enum(["low", "high"]) },
    what: { operand: "<WHAT>", about: "What", schema: z.literal("all") },
  };
  const script = bashScript([typedCommand({ name: "new", summary: "A new one", parts }, {})]);
  assert.deepEqual(await inBash(script, "n"), ["new"]);
  assert.deepEqual(await inBash(script, "new", ""), ["all"]);
  assert.deepEqual(await inBash(script, "new", "-l", "h"), ["high"]);
});

for (const name of NAMES.split(" ")) {
  testWith(["bash"], `bash completes each option of ${name} that its help has`, async () => {
    const help = await printedBy(name, "--help");
    const told = [...help.matchAll(/^ {2}(?:(-\w), )?(--[\w-]+)/gm)].flatMap(([, ...flags]) =>
      flags.filter(Boolean)
    );
    assert.ok(told.includes("--help"));
    const completed = await inBash(bash, name, "-");
    assert.deepEqual(completed.toSorted(), told.toSorted());
  });
}

const scripts: [shell: Need & ("bash" | "zsh" | "fish"), script: string][] = [
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
];

for (const [shell, script] of scripts) {
  testWith([shell], `${shell} finds no fault in its script`, async () => {
    using folder = emptyFolder();
    const file = join(folder.path, "script");
    await Deno.writeTextFile(file, script);
    const { success, stderr } = await new Deno.Command(shell, { args: ["-n", file] }).output();
    assert.deepEqual([success, new TextDecoder().decode(stderr)], [true, ""]);
  });
}

testWith(["zsh"], "zsh registers its script, and is handed options with their texts", async () => {
  assert.equal((await inZsh(""))[0], "run:Runs an experiment and writes its report");
  const lines = await inZsh("bench", "");
  assert.ok(
    lines.includes("(-d --duration)-d[Duration of the load, such as 500ms, 30s or 5m]:D: "),
  );
  assert.ok(
    lines.includes("(-d --duration)--duration[Duration of the load, such as 500ms, 30s or 5m]:D: "),
  );
  assert.ok(lines.some((line) => line.startsWith("*--header[Request header]")));
  assert.ok(lines.some((line) => line.endsWith("]:FILE:_files") && line.includes("--json")));
  assert.ok(lines.some((line) => line.endsWith(":(auto epoll tcp)")));
  assert.deepEqual((await inZsh("completions", "")).at(-1), "1:SHELL:(bash zsh fish)");
  const registered = await linesOf("zsh", {
    script: `autoload -U compinit; compinit -D -u\n${zsh}`,
    args: ["-f", "-c"],
    ask: "print $_comps[plateau]",
  });
  assert.deepEqual(registered, ["_plateau"]);
});

testWith(["fish"], "fish completes commands, options, their values, and files", async () => {
  assert.deepEqual(await inFish("comp"), ["compare", "completions"]);
  assert.deepEqual(await inFish("bench --driver "), ["auto", "epoll", "tcp"]);
  assert.deepEqual(await inFish("bench --expect-s"), ["--expect-status"]);
  assert.deepEqual(await inFish("bench -c "), []);
  assert.deepEqual(await inFish("run qui"), ["quick"]);
  assert.deepEqual(await inFish("check mi"), ["mine.yaml"]);
  assert.deepEqual(await inFish("superv"), []);
});

Deno.test("completions are all that the program prints", async () => {
  assert.deepEqual(await plateau(["completions", "fish"]), { code: 0, stdout: fish, stderr: "" });
});

Deno.test("completions of another shell are refused with those that there are", async () => {
  const { stderr } = await exits(2, ["completions", "tcsh"]);
  assert.match(stderr, /bash.*zsh.*fish/);
});
