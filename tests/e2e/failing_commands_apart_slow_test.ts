/** The commands of targets that fail, hang, print without end or leave processes behind. */
import assert from "node:assert/strict";
import { needing } from "../needs.ts";
import { allStages, assertNothingLeft, CommandedSite, says } from "./command_log.ts";
import { adoptOrphans, descendants } from "./processes.ts";
import { exits } from "./plateau.ts";

const withLinux = needing("linux");

if (Deno.build.os === "linux") adoptOrphans();

withLinux.test("a setup that fails is tried once, and leaves out the cells of its target", async () => {
  using site = new CommandedSite();
  const { stderr } = await site.exits(3, {
    targets: {
      a: {
        app: "api",
        ...allStages("a"),
        setup: [says("setup a", "printf 'no such %s\\n' table; exit 7")],
      },
      b: { app: "api" },
    },
    scenarios: { static: { get: "/static" }, fib: { get: "/fib" } },
    repeat: 2,
  });
  assert.deepEqual(site.done(), ["setup a", "teardown a"]);
  const { runs, missing } = site.saved();
  assert.deepEqual(runs.map(({ target }) => target), ["b", "b", "b", "b"]);
  assert.deepEqual(
    missing.map(({ target, repetition, evidence }) => [target, repetition, evidence]),
    [["a", null, ["no such table"]], ["a", null, []]],
  );
  for (const { reason } of missing) {
    assert.match(
      reason,
      /^Cannot start target a: its setup failed: sh -c echo .*exited with code 7$/s,
    );
  }
  assert.equal(stderr.split("no such table").length, 2, stderr);
});

withLinux.test("a before that fails fails its run alone, and after runs all the same", async () => {
  using site = new CommandedSite();
  const run = ["before a", "after a"];
  const firstFails = "test -e again || { touch again; echo not yet; exit 1; }";
  await site.exits(3, {
    targets: { a: { app: "api", ...allStages("a"), before: [says("before a", firstFails)] } },
    repeat: 2,
  });
  assert.deepEqual(site.done(), ["setup a", ...run, ...run, "teardown a"]);
  const { runs, missing } = site.saved();
  assert.deepEqual(runs.map(({ repetition }) => repetition), [2]);
  assert.deepEqual(missing.map(({ repetition }) => repetition), [1]);
  assert.match(
    missing[0].reason,
    /^Cannot run target a: its before command failed: sh -c .*code 1$/,
  );
  assert.deepEqual(missing[0].evidence, ["not yet"]);
});

withLinux.test("a target that does not start has its after and its teardown", async () => {
  using site = new CommandedSite();
  const { stderr } = await site.exits(3, {
    targets: {
      a: {
        command: ["sh", "-c", "exit 1"],
        ...allStages("a"),
        after: [says("after a"), says("after a {origin}")],
      },
    },
    repeat: 3,
  });
  assert.deepEqual(site.done(), ["setup a", "before a", "after a", "teardown a"]);
  assert.match(stderr, /Left out a command of a \(after\), because a did not start/);
});

withLinux.test("after and teardown that fail are warnings, also of a quiet run, and the next steps run", async () => {
  using site = new CommandedSite();
  const failing = (stage: string): unknown => [
    says(stage, `echo no ${stage} today; exit 3`),
    says(`${stage} again`),
  ];
  const { stderr } = await site.exits(0, {
    targets: { a: { app: "api", after: failing("after"), teardown: failing("teardown") } },
    repeat: 2,
  }, "--quiet");
  const run = ["after", "after again"];
  assert.deepEqual(site.done(), [...run, ...run, "teardown", "teardown again"]);
  for (const stage of ["after", "teardown"]) {
    const warning = `Warning: ${stage} of a failed: .*; its last line of output: no ${stage} today`;
    assert.match(stderr, new RegExp(warning));
    const page = site.read("out/report.html");
    assert.match(page, new RegExp(`no ${stage} today; exit 3 exited with code 3`));
  }
  const { commands = [], missing } = site.saved();
  assert.deepEqual(missing, []);
  assert.deepEqual(commands.map(({ failed }) => failed), [2, 0, 1, 0]);
});

withLinux.test("a setup that hangs ends with its children, by its time-out", async () => {
  using site = new CommandedSite();
  const hanging = "trap '' TERM; sleep 600 & sleep 600; sleep 600";
  await site.exits(3, {
    targets: { a: { app: "api", setup: [{ command: says("setup", hanging), timeout: "1s" }] } },
  });
  assert.match(site.saved().missing[0].reason, /its setup failed: sh -c .* took over 1s$/);
  await assertNothingLeft();
});

withLinux.test("what a step leaves in the background ends with it", async () => {
  using site = new CommandedSite();
  const leaving = "nohup sleep 600 > /dev/null 2>&1 & setsid sleep 601 > /dev/null 2>&1 &";
  await using program = site.start({
    targets: {
      a: { app: "api", setup: [says("setup", leaving)], before: [says("before", "sleep 0.1")] },
    },
  });
  await program.until("the next step has begun", () => site.done().includes("before"));
  const left = descendants(program.pid).filter(({ command }) => command.startsWith("sleep 60"));
  assert.deepEqual(left, []);
  await exits(0, program.ended);
  await assertNothingLeft();
});

withLinux.test("of 100 MB that a step prints the log has the first and the last", async () => {
  using site = new CommandedSite();
  await site.exits(0, {
    targets: {
      a: {
        app: "api",
        setup: [["sh", "-c", "echo begin; yes | head -c 100000000; echo end"]],
        before: [["sh", "-c", "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo over"]],
      },
    },
  });
  const log = site.read("out/commands.log");
  assert.ok(log.length < 200_000, String(log.length));
  assert.match(log, /\(setup of a\)\nbegin\ny\n/);
  assert.match(log, /y\n… the middle is left out; the last lines:\n(?:y\n)+end\n/);
  assert.match(log, /over\n$/);
});

Deno.test("a secret is refused in the arguments of a step", async () => {
  using site = new CommandedSite();
  const { stderr } = await site.exits(2, {
    targets: {
      a: { app: "api", setup: [["seed", "${env.HOME}"], { command: ["seed", "${env.HOME}"] }] },
    },
  });
  assert.equal(
    stderr.split("Cannot put the secret ${env.HOME} into the arguments").length,
    3,
    stderr,
  );
});
