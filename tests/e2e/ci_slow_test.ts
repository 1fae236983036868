/** The scripts of docs/ci.md and of the actions that it uses, in a scratch repository as a runner has it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { needing } from "../needs.ts";
import {
  type Action,
  FORKS,
  PULL_REQUESTS,
  readAction,
  readHooks,
  readJob,
  readPipeline,
  readWorkflow,
  type Step,
} from "../deploy/workflows.ts";
import { type Runner, runScript, startRunner } from "./ci_runner.ts";

const withBash = needing("git", "node", "bash");

/** What GitHub puts in the place of `${{ … }}`; an expression that is none of these fails the test. */
type Context = Readonly<Record<string, string>>;

function filled(text: string, context: Context): string {
  return text.replaceAll(/\$\{\{ *(.*?) *\}\}/g, (_, expression: string) => {
    assert.ok(Object.hasOwn(context, expression), `there is no ${expression}`);
    return context[expression];
  });
}

/** `inputs.a == 'b' && inputs.c != 'd'` */
function holds(condition: string, context: Context): boolean {
  return condition.split(" && ").every((part) => {
    const [, name = "", sign, text] = /^(inputs\.\w+) (==|!=) '(.*)'$/.exec(part) ?? [];
    assert.ok(Object.hasOwn(context, name), part);
    return (context[name] === text) === (sign === "==");
  });
}

/** The page repeats ten times; half of it shows a difference like that of the test. */
function sooner(text: string): string {
  return text.replaceAll(/(?<flag>--repeat[ =])10\b/g, "$<flag>5");
}

const EVENT: Context = {
  "github.token": "secret",
  "github.event.pull_request.number": "12",
  "github.event.workflow_run.head_repository.owner.login": "stranger",
  "github.event.workflow_run.head_branch": "a'b $(touch owned)",
  "github.event.workflow_run.head_sha": "abc",
};

/** Runs the steps of an action that a step of a workflow names; its outputs and the code of the first that fails. */
async function act(
  runner: Runner,
  { inputs, runs: { steps } }: Action,
  { given, at }: { readonly given: Step["with"]; readonly at: string },
): Promise<{ readonly code: number; readonly said: string }> {
  const presets = Object.entries(inputs)
    .map(([name, { default: preset = "" }]): [string, string] => [name, preset]);
  const values: Record<string, string> = { ...Object.fromEntries(presets), ...given };
  const context = {
    ...EVENT,
    "github.action_path": at,
    ...Object.fromEntries(
      Object.entries(values).map(([name, text]) => [`inputs.${name}`, filled(sooner(text), EVENT)]),
    ),
  };
  let said = "";
  for (const { if: condition, uses = "", run, shell, env } of steps) {
    if (condition !== undefined && !holds(condition, context)) continue;
    if (uses.startsWith("actions/cache@")) continue; // the home of this runner is the cache
    assert.equal(shell, "bash");
    assert.ok(run !== undefined);
    const set = Object.entries(env).map(([name, text]) => [name, filled(text, context)]);
    const { code, output } = await runScript(runner, run, Object.fromEntries(set));
    said += output;
    if (code !== 0) return { code, said };
  }
  return { code: 0, said };
}

function measureBy(runner: Runner, more: Step["with"] = {}): ReturnType<typeof act> {
  const { steps } = readWorkflow(PULL_REQUESTS).jobs.measure;
  const step = steps.find(({ uses }) => uses === "./.plateau-action");
  assert.ok(step !== undefined);
  const at = join(import.meta.dirname ?? "", "../..");
  return act(runner, readAction("."), { given: { ...step.with, ...more }, at });
}

function commentBy(runner: Runner, given: Step["with"]): ReturnType<typeof act> {
  return act(runner, readAction("deploy/comment"), { given, at: "" });
}

withBash.test("a slower merge fails the check and is commented on, once", async () => {
  using runner = startRunner({ burnUs: 3000 });
  const before = runner.state();
  const { code, said } = await measureBy(runner);
  assert.equal(code, 1, said);
  assert.match(said, /^base {5}[0-9a-f]{7}|HEAD\^1/m);
  assert.match(
    said,
    /^Worse {4}root, server: (requests\/s|p99|CPU\/request)$/m,
  );
  assert.match(runner.outputs(), /^key=plateau-Linux-X64-[0-9a-f]{80}\ncode=1\n$/);
  assert.match(runner.summary(), /^## /);
  assert.match(runner.read("plateau-results/comment.md"), /worse/);
  assert.match(runner.read("plateau-results/junit.xml"), /<failure /);
  assert.ok(runner.read("plateau-results/results.json").length > 1_000);
  assert.deepEqual(runner.state(), before);

  const comment = readWorkflow(PULL_REQUESTS).jobs.comment.steps.at(-1)?.with ?? {};
  const first = await commentBy(runner, comment);
  assert.equal(first.code, 0, first.said);
  const [list, post, ...others] = runner.calls();
  assert.match(list.words.join(" "), /^gh api --paginate repos\/me\/mine\/issues\/12\/comments /);
  assert.deepEqual(post.words.slice(0, 6), [
    ...["gh", "api", "--silent", "--method", "POST", "repos/me/mine/issues/12/comments"],
  ]);
  const shown = `<!-- plateau -->\n${runner.read("plateau-results/comment.md")}`;
  assert.deepEqual([post.body, others], [shown, []]);

  runner.comments("7\n99\n");
  await commentBy(runner, comment);
  const [, patch] = runner.calls().slice(2);
  assert.deepEqual(patch.words.slice(3, 6), [
    ...["--method", "PATCH", "repos/me/mine/issues/comments/99"],
  ]);
});

withBash.test("a merge that cannot be built fails the check, and the comment says so", async () => {
  using runner = startRunner({ burnUs: 100, build: "process.exit(9)" });
  const { code, said } = await measureBy(runner);
  assert.equal(code, 3, said);
  assert.match(runner.outputs(), /^code=3$/m);
  assert.match(runner.read("plateau-results/comment.md"), /measured nothing \(exit code 3\)/);
});

withBash.test("an inconclusive comparison is green, and further flags are one a line", async () => {
  using runner = startRunner({ burnUs: 100 });
  const flags = "--repeat=2\n\n--threshold=p99 < 10s\n--quiet\n";
  const { code, said } = await measureBy(runner, { flags });
  assert.equal(code, 0, said);
  assert.match(runner.outputs(), /^code=5$/m);
  assert.match(runner.read("plateau-results/comment.md"), /^\| p99 &lt; 10s \|/m);
});

withBash.test("the action runs an experiment, measures a URL, or only installs the program, once", async () => {
  using runner = startRunner({ burnUs: 100 });
  const setUp = await measureBy(runner, { command: "setup" });
  assert.equal(setUp.code, 0, setUp.said);
  assert.doesNotMatch(runner.outputs(), /code=/);
  const [folder] = runner.paths();
  const version = await runScript(runner, "plateau --version", {
    PATH: `${folder}:${runner.env.PATH}`,
  });
  assert.match(version.output, /^\d+\.\d+\.\d+$/m);

  const built = await runScript(runner, "node build.js", {});
  assert.equal(built.code, 0, built.output);
  const flags = "--repeat=1\n--threshold=p99 < 1us\n";
  const run = await measureBy(runner, { command: "run", flags, out: "plateau-results/run" });
  assert.equal(run.code, 1, run.said);
  assert.match(runner.outputs(), /^code=1$/m);
  assert.match(run.said, /^::error .*Threshold failed/m);
  assert.match(runner.read("plateau-results/run/comment.md"), /p99 &lt; 1us/);
  assert.ok(runner.read("plateau-results/run/results.json").length > 1_000);

  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("ok"),
  );
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const given = { command: "bench", url, flags: "--requests=100", out: "plateau-results/bench" };
  const bench = await measureBy(runner, given).finally(() => server.shutdown());
  assert.equal(bench.code, 0, bench.said);
  const { requests } = JSON.parse(runner.read("plateau-results/bench/results.json"));
  assert.equal(requests.completed, 100);
  assert.match(runner.read("plateau-results/bench/report.html"), /^<!doctype html>/i);

  const wrong = await measureBy(runner, { command: "measure; touch owned" });
  assert.equal(wrong.code, 2);
  assert.match(wrong.said, /^::error::Cannot do "measure; touch owned"/m);
  assert.throws(() => runner.read("owned"), Deno.errors.NotFound);
  assert.equal(runner.installs(), 1);
});

withBash.test("a compiled program is taken by its address, if it is the right one", async () => {
  using runner = startRunner({ burnUs: 100 });
  const binary = "https://example.test/plateau";
  const wrong = await measureBy(runner, { binary, sha256: "0".repeat(64) });
  assert.notEqual(wrong.code, 0);
  assert.match(wrong.said, /FAILED|did NOT match/);
  assert.notEqual((await measureBy(runner, { binary })).code, 0, "without its sum");
  const { code, said } = await measureBy(runner, {
    ...{ binary, sha256: runner.sha256 },
    flags: "--repeat=2",
  });
  assert.equal(code, 0, said);
  assert.match(runner.outputs(), /^code=5$/m);
});

withBash.test("the comment of a fork goes by what GitHub says, not by what the fork left", async () => {
  using runner = startRunner({ burnUs: 100 });
  const { steps } = readWorkflow(FORKS).jobs.comment;
  const [, , pull, comment] = steps;
  const env = Object.entries(pull.env).map(([name, text]) => [name, filled(text, EVENT)]);
  runner.comments("12\n");
  const found = await runScript(runner, pull.run ?? "", Object.fromEntries(env));
  assert.equal(found.code, 0, found.output);
  assert.equal(runner.outputs(), "number=12\n");
  const [{ words }] = runner.calls();
  assert.ok(words.includes("head=stranger:a'b $(touch owned)"), words.join(" "));
  assert.throws(() => runner.read("owned"), Deno.errors.NotFound);

  const given = { ...comment.with, number: "12" };
  Deno.mkdirSync(join(runner.path, "plateau-results"));
  const file = join(runner.path, "plateau-results/comment.md");
  Deno.symlinkSync("/proc/self/environ", file);
  const linked = await commentBy(runner, given);
  assert.match(linked.said, /nothing was measured/);
  assert.equal(runner.calls().length, 1, "a link is not followed");
  Deno.removeSync(file);
  Deno.writeTextFileSync(file, "ä".repeat(40_000));
  const long = await commentBy(runner, given);
  assert.equal(long.code, 0, long.said);
  const body = runner.calls().at(-1)?.body ?? "";
  assert.equal(body, `<!-- plateau -->\n${"ä".repeat(30_000)}`);
});

withBash.test("the job of GitLab finds a slower merge request, and comments where it may", async () => {
  using runner = startRunner({ burnUs: 3000 });
  const { script, after_script, allow_failure, artifacts } = readJob();
  const all = (lines: readonly string[]): string => sooner(lines.join("\n"));
  const env = {
    CI_PROJECT_DIR: runner.path,
    CI_MERGE_REQUEST_DIFF_BASE_SHA: runner.base,
    CI_API_V4_URL: "https://example.test/api/v4",
    CI_PROJECT_ID: "3",
    CI_MERGE_REQUEST_IID: "12",
  };
  const { code, output } = await runScript(runner, all(script), env);
  assert.equal(code, 1, output);
  assert.notEqual(code, allow_failure.exit_codes);
  assert.match(
    output,
    /^Worse {4}root, server: (requests\/s|p99|CPU\/request)$/m,
  );
  for (const path of [...artifacts.paths, artifacts.reports.junit]) {
    assert.ok(Deno.statSync(join(runner.path, path)).size > 0, path);
  }
  assert.equal((await runScript(runner, all(after_script), env)).code, 0);
  assert.deepEqual(runner.calls(), [], "without a token");
  const after = await runScript(runner, all(after_script), { ...env, PLATEAU_TOKEN: "secret" });
  assert.equal(after.code, 0, after.output);
  const [{ words, body }] = runner.calls();
  assert.equal(words.at(-1), "https://example.test/api/v4/projects/3/merge_requests/12/notes");
  assert.equal(body, runner.read("plateau-results/comment.md"));
});

withBash.test("the pipeline of Jenkins finds a slower change", async () => {
  using runner = startRunner({ burnUs: 3000 });
  const script = sooner(readPipeline()).replace(/^ *git submodule .*\n/m, "");
  const origin = ["git", "-C", runner.path, "remote", "get-url", "origin"];
  assert.match((await runScript(runner, origin.join(" "), {})).output, /^file:/);
  const { code, output } = await runScript(runner, script, { CHANGE_TARGET: "main" });
  assert.equal(code, 1, output);
  assert.match(runner.read("plateau-results/junit.xml"), /<failure /);
});

withBash.test("the hook of pre-commit refuses a wrong experiment file among right ones", async () => {
  using runner = startRunner({ burnUs: 100 });
  await measureBy(runner, { command: "setup" });
  const [{ entry }] = readHooks();
  const PATH = `${runner.paths()[0]}:${runner.env.PATH}`;
  const right = await runScript(runner, `${entry} experiment.yaml experiment.yaml`, { PATH });
  assert.deepEqual(right, { code: 0, output: "" });
  Deno.writeTextFileSync(join(runner.path, "wrong.yaml"), "name: wrong\n");
  const wrong = await runScript(runner, `${entry} experiment.yaml wrong.yaml`, { PATH });
  assert.notEqual(wrong.code, 0);
  assert.match(wrong.output, /^wrong\.yaml/m);
});
