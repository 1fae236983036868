/** `main.ts` as a process: what it prints where, and its exit codes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { COMMAND, plateau } from "../e2e/plateau.ts";
import { printedBy } from "./command_line.ts";

const MAIN = join(import.meta.dirname ?? "", "../../main.ts");

const common = ["--help", "--version", "--no-color"];
const outputs = [
  ...["--json <", "--csv <", "--markdown <", "--html <", "--quiet", "--seed <", "--redis <"],
];
const flags: Record<string, string[]> = {
  run: [...common, ...outputs, "--out <", "--only <", "--repeat <", "--duration <"],
  bench: [
    ...common,
    ...outputs,
    ...["-c, --connections <", "-d, --duration <", "-n, --requests <", "-w, --workers <"],
    ...["-t, --timeout <", "-m, --method <", "-H, --header <", "-b, --body <", "--pipeline <"],
    ...["--no-keepalive", "--expect-status <", "--expect-body <", "--interval <", "--driver <"],
  ],
  serve: [...common, "--port <", "--host <", "--set <", "--redis <"],
  report: [...common, "-o, "],
};

for (const [command, expected] of Object.entries(flags)) {
  Deno.test(`the help of ${command} explains each of its flags`, async () => {
    const help = await printedBy(command, "--help");
    assert.deepEqual(expected.filter((flag) => !help.includes(flag)), []);
  });
}

Deno.test("without a command the help goes to standard error, and the exit code is 2", async () => {
  const { code, stdout, stderr } = await plateau([]);
  assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
  assert.match(stderr, /Usage: plateau COMMAND/);
});

Deno.test("a failure that cannot be shown is one fixed line, and not what was thrown", async () => {
  const secretsFile = join(import.meta.dirname ?? "", "../../base/secrets.ts");
  const code = `import { Secrets } from ${JSON.stringify(secretsFile)};
    Secrets.prototype.sentence = () => { throw new SyntaxError("hunter2"); };
    await import(${JSON.stringify(MAIN)});`;
  const args = ["eval", "--unstable-net", "--unstable-raw-imports", code];
  const { code: exit, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.equal(exit, 70);
  assert.match(new TextDecoder().decode(stderr), /^Cannot show what went wrong\. .*\n$/);
});

Deno.test("a hidden command is in no list", async () => {
  const { stdout } = await plateau(["--help"]);
  assert.doesNotMatch(stdout, /supervise/);
});

Deno.test("the first line of a long answer can be read alone", async () => {
  const [program, ...first] = COMMAND;
  const child = new Deno.Command(program, {
    args: [...first, "schema", "results"],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stdout.cancel();
  assert.equal(await new Response(child.stderr).text(), "");
  assert.equal((await child.status).code, 0);
});

Deno.test({
  name: "standard output that takes nothing is whoever runs it's to mend, and no defect",
  ignore: Deno.build.os !== "linux",
  async fn(): Promise<void> {
    const { code, stderr } = await new Deno.Command("sh", {
      args: ["-c", 'exec "$@" >/dev/full', "sh", ...COMMAND, "list", "apps"],
      stdout: "null",
    }).output();
    assert.match(
      new TextDecoder().decode(stderr),
      /^Cannot write to standard output: No space left on device.*\n$/,
    );
    assert.equal(code, 3);
  },
});

Deno.test({
  name: "standard error that takes nothing changes nothing",
  ignore: Deno.build.os !== "linux",
  async fn(): Promise<void> {
    const { code } = await new Deno.Command("sh", {
      args: ["-c", 'exec "$@" 2>/dev/full', "sh", ...COMMAND, "nonsense"],
      stderr: "null",
    }).output();
    assert.equal(code, 2);
  },
});
