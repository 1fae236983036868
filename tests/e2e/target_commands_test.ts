/** The commands of targets: when they run, with what, and what becomes of a run where one fails. */
import assert from "node:assert/strict";
import { testWith } from "../needs.ts";
import { allStages, assertNothingLeft, CommandedSite, says } from "./command_log.ts";
import { Plateau, plateau } from "./plateau.ts";
import { adoptOrphans, descendants } from "./processes.ts";
import { startWitness } from "./witness.ts";

if (Deno.build.os === "linux") adoptOrphans();

const RUN = (target: string): string[] => [`before ${target}`, `after ${target}`];

testWith(["linux"], "commands of two targets run around each of their runs, in order", async () => {
  using site = new CommandedSite();
  const { code, stderr } = await site.start({
    targets: { a: { app: "api", ...allStages("a") }, b: { app: "api", ...allStages("b") } },
    scenarios: { static: { get: "/static" }, fib: { get: "/fib" } },
    repeat: 2,
  }).ended;
  assert.equal(code, 0, stderr);
  const block = (first: string, second: string): string[] => [
    ...[first, ...RUN("a"), ...RUN("a")],
    ...[second, ...RUN("b"), ...RUN("b")],
  ];
  assert.deepEqual(site.done(), [
    ...block("setup a", "setup b"),
    ...block("", "").filter((line) => line !== ""),
    "teardown b",
    "teardown a",
  ]);
  const ran = site.saved().commands ?? [];
  assert.deepEqual(
    ran.map(({ target, stage, times, failed }) => [target, stage, times, failed]),
    [
      ["a", "setup", 1, 0],
      ["a", "before", 4, 0],
      ["a", "after", 4, 0],
      ["b", "setup", 1, 0],
      ["b", "before", 4, 0],
      ["b", "after", 4, 0],
      ["b", "teardown", 1, 0],
      ["a", "teardown", 1, 0],
    ],
  );
  assert.ok(ran.every(({ total, longest }) => longest > 0 && total >= longest));
  assert.match(site.read("out/report.html"), /Before each run: sh -c echo/);
  assert.match(stderr, /Setup of a: sh -c echo/);
  await assertNothingLeft();
});

/** The status of a request, from within a step. */
const REQUEST = `"${Deno.execPath()}" eval "console.log((await fetch(Deno.args[0])).status)" `;

testWith(
  ["linux"],
  "from the first step with {origin} on, before runs when the target responds",
  async () => {
    using site = new CommandedSite();
    const { code, stderr } = await site.start({
      targets: {
        a: {
          command: [
            "sh",
            "-c",
            `echo start >> done; exec "${Deno.execPath()}" eval \\
          "Deno.serve({ port: Number(Deno.args[0]), hostname: '127.0.0.1' }, () => new Response('a'))" {port}`,
          ],
          before: [
            says("first"),
            ["sh", "-c", `${REQUEST} {origin}/static >> done`],
            {
              command: ["sh", "-c", 'echo "$AT" | sed s/[0-9]*$/N/ >> done'],
              env: { AT: "{origin}" },
            },
            says("last"),
          ],
          after: [["sh", "-c", `${REQUEST} {origin}/static >> done`]],
        },
      },
    }).ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual(site.done(), ["first", "start", "200", "http://127.0.0.1:N", "last", "200"]);
  },
);

testWith(["linux"], "targets behind a gateway have their commands around its runs", async () => {
  using site = new CommandedSite();
  const { code, stderr } = await site.start({
    targets: {
      behind: { app: "api", ...allStages("behind") },
      proxied: { proxy: { origin: "behind", ttl: ["1s", "2s"] }, ...allStages("proxied") },
    },
    scenarios: { static: { get: "/static", targets: ["proxied"] } },
  }).ended;
  assert.equal(code, 0, stderr);
  const run = ["before behind", "before proxied", "after proxied", "after behind"];
  assert.deepEqual(site.done(), [
    ...["setup behind", "setup proxied", ...run, ...run],
    ...["teardown proxied", "teardown behind"],
  ]);
});

testWith(
  ["linux"],
  "a server at a URL has its commands, with its origin from the first on",
  async () => {
    using site = new CommandedSite();
    const paths: string[] = [];
    await using witness = startWitness({ onRequest: () => paths.push(site.done().at(-1) ?? "") });
    const steps = Object.fromEntries(["setup", "before", "after", "teardown"].map((stage) => [
      stage,
      [["sh", "-c", `echo ${stage} >> done; ${REQUEST} {origin}/`]],
    ]));
    const { code, stderr } = await site.start({ targets: { a: { url: witness.origin, ...steps } } })
      .ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual(site.done(), ["setup", "before", "after", "teardown"]);
    assert.equal(paths.filter((stage) => stage === "setup").length, 1);
    assert.equal(paths.filter((stage) => stage === "before").length, 1 + 1 + 20); // preflight and load
    assert.equal(paths.filter((stage) => stage === "after").length, 1);
    assert.equal(paths.filter((stage) => stage === "teardown").length, 1);
  },
);

testWith(
  ["linux"],
  "one process for all runs has before and after around each of them",
  async () => {
    using site = new CommandedSite();
    const { code, stderr } = await site.start({
      targets: {
        a: { app: "api", ...allStages("a"), before: [says("before a"), says("at {origin}")] },
      },
      fresh: false,
      repeat: 2,
    }).ended;
    assert.equal(code, 0, stderr);
    const [, , at] = site.done();
    assert.match(at, /^at http:/);
    const run = ["before a", at, "after a"];
    assert.deepEqual(site.done(), ["setup a", ...run, ...run, "teardown a"]);
  },
);

testWith(["linux"], "a separate preflight check is a run for the commands", async () => {
  using site = new CommandedSite();
  const { code, stderr } = await site.start({
    targets: { a: { app: "api", ...allStages("a") } },
    prove: "apart",
    repeat: 2,
  }).ended;
  assert.equal(code, 0, stderr);
  assert.deepEqual(site.done(), [
    ...["setup a", ...RUN("a"), ...RUN("a"), ...RUN("a"), "teardown a"],
  ]);
});

testWith(
  ["linux"],
  "steps have the target's variables, their own and those of the user",
  async () => {
    using site = new CommandedSite();
    Deno.mkdirSync(`${site.path}/inner`);
    const show = 'echo "$OF_USER $OF_TARGET $OF_STEP $PORT $(basename $PWD)" >> ../done';
    Deno.writeTextFileSync(site.file, "");
    const experiment = {
      targets: {
        a: {
          command: [
            Deno.execPath(),
            "eval",
            "Deno.serve({ port: Number(Deno.env.get('PORT')), hostname: '127.0.0.1' }, () => new Response('a'))",
          ],
          cwd: "inner",
          env: { OF_TARGET: ["one", "two"], PORT: "{port}" },
          setup: [{ command: ["sh", "-c", show], env: { OF_STEP: "step" } }],
        },
      },
    };
    using variable = withVariable("OF_USER", "user");
    const { code, stderr } = await site.start(experiment).ended;
    void variable;
    assert.equal(code, 0, stderr);
    assert.deepEqual(site.done(), ["user one step  inner", "user two step  inner"]);
  },
);

function withVariable(name: string, value: string): Disposable {
  Deno.env.set(name, value);
  return { [Symbol.dispose]: () => Deno.env.delete(name) };
}

testWith(
  ["linux"],
  "a setup that fails is tried once, and leaves out the cells of its target",
  async () => {
    using site = new CommandedSite();
    const { code, stderr } = await site.start({
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
    }).ended;
    assert.equal(code, 3, stderr);
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
  },
);

testWith(
  ["linux"],
  "a before that fails fails its run alone, and after runs all the same",
  async () => {
    using site = new CommandedSite();
    const firstFails = "test -e again || { touch again; echo not yet; exit 1; }";
    const { code, stderr } = await site.start({
      targets: { a: { app: "api", ...allStages("a"), before: [says("before a", firstFails)] } },
      repeat: 2,
    }).ended;
    assert.equal(code, 3, stderr);
    assert.deepEqual(site.done(), ["setup a", ...RUN("a"), ...RUN("a"), "teardown a"]);
    const { runs, missing } = site.saved();
    assert.deepEqual(runs.map(({ repetition }) => repetition), [2]);
    assert.deepEqual(missing.map(({ repetition }) => repetition), [1]);
    assert.match(missing[0].reason, /^Cannot run target a: its before failed: sh -c .*code 1$/);
    assert.deepEqual(missing[0].evidence, ["not yet"]);
  },
);

testWith(["linux"], "a target that does not start has its after and its teardown", async () => {
  using site = new CommandedSite();
  const { code, stderr } = await site.start({
    targets: {
      a: {
        command: ["sh", "-c", "exit 1"],
        ...allStages("a"),
        after: [says("after a"), says("after a {origin}")],
      },
    },
    repeat: 3,
  }).ended;
  assert.equal(code, 3, stderr);
  assert.deepEqual(site.done(), ["setup a", "before a", "after a", "teardown a"]);
  assert.match(stderr, /Left out after of a, as it did not start/);
});

testWith(
  ["linux"],
  "after and teardown that fail are warnings, and the next steps run",
  async () => {
    using site = new CommandedSite();
    const failing = (stage: string): unknown => [
      says(stage, `echo no ${stage} today; exit 3`),
      says(`${stage} again`),
    ];
    const { code, stderr } = await site.start({
      targets: { a: { app: "api", after: failing("after"), teardown: failing("teardown") } },
      repeat: 2,
    }).ended;
    assert.equal(code, 0, stderr);
    const run = ["after", "after again"];
    assert.deepEqual(site.done(), [...run, ...run, "teardown", "teardown again"]);
    for (const stage of ["after", "teardown"]) {
      const warning = `Warning: ${stage} of a failed: .*; its last line: no ${stage} today`;
      assert.match(stderr, new RegExp(warning));
      const page = site.read("out/report.html");
      assert.match(page, new RegExp(`The ${stage} of a failed`));
    }
    const { commands = [], missing } = site.saved();
    assert.deepEqual(missing, []);
    assert.deepEqual(commands.map(({ failed }) => failed), [2, 0, 1, 0]);
  },
);

testWith(["linux"], "a setup that hangs ends with its children, by its time-out", async () => {
  using site = new CommandedSite();
  const hanging = "trap '' TERM; sleep 600 & sleep 600; sleep 600";
  const { code, stderr } = await site.start({
    targets: {
      a: { app: "api", setup: [{ command: says("setup", hanging), timeout: "1s" }] },
    },
  }).ended;
  assert.equal(code, 3, stderr);
  assert.match(site.saved().missing[0].reason, /its setup failed: sh -c .* took over 1s$/);
  await assertNothingLeft();
});

testWith(["linux"], "what a step leaves in the background ends with it", async () => {
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
  const { code, stderr } = await program.ended;
  assert.equal(code, 0, stderr);
  await assertNothingLeft();
});

testWith(["linux"], "of 100 MB that a step prints the log has the first and the last", async () => {
  using site = new CommandedSite();
  const { code, stderr } = await site.start({
    targets: {
      a: {
        app: "api",
        setup: [["sh", "-c", "echo begin; yes | head -c 100000000; echo end"]],
        before: [["sh", "-c", "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo over"]],
      },
    },
  }).ended;
  assert.equal(code, 0, stderr);
  const log = site.read("out/commands.log");
  assert.ok(log.length < 200_000, String(log.length));
  assert.match(log, /\(setup of a\)\nbegin\ny\n/);
  assert.match(log, /y\n… the middle is left out; the last lines:\n(?:y\n)+end\n/);
  assert.match(log, /over\n$/);
});

testWith(["linux"], "a secret that a step prints stands in no file", async () => {
  using site = new CommandedSite();
  const secret = "canary-of-a-step";
  using variable = withVariable("SEED_TOKEN", secret);
  const { code, stdout, stderr } = await site.start({
    targets: {
      a: {
        app: "api",
        setup: [{
          command: ["sh", "-c", "echo $TOKEN; echo $TOKEN >&2"],
          env: { TOKEN: "${env.SEED_TOKEN}" },
        }],
        after: [{
          command: ["sh", "-c", "echo $TOKEN; exit 1"],
          env: { TOKEN: "${env.SEED_TOKEN}" },
        }],
      },
    },
  }).ended;
  void variable;
  assert.equal(code, 0, stderr);
  assert.match(site.read("out/commands.log"), /\$\{env\.SEED_TOKEN\}\n/);
  for (const name of ["commands.log", "results.json", "report.html"]) {
    assert.ok(!site.read(`out/${name}`).includes(secret), name);
  }
  assert.ok(!(stdout + stderr).includes(secret), stderr);
});

Deno.test("a secret is refused in the arguments of a step", async () => {
  using site = new CommandedSite();
  const { code, stderr } = await site.start({
    targets: {
      a: { app: "api", setup: [["seed", "${env.HOME}"], { command: ["seed", "${env.HOME}"] }] },
    },
  }).ended;
  assert.equal(code, 2, stderr);
  assert.equal(
    stderr.split("Cannot put the secret ${env.HOME} into the arguments").length,
    3,
    stderr,
  );
});

Deno.test("check names every program of a step that is missing, but for those that a step makes", async () => {
  using site = new CommandedSite();
  const experiment = {
    name: "a",
    targets: {
      a: { app: "api", setup: [["no-such-seed"], ["./made/later"]] },
      b: { url: "http://127.0.0.1:1", teardown: [["./no-such-script"]] },
      c: { command: [Deno.execPath()], before: [[Deno.execPath()]] },
    },
    scenarios: { s: { get: "/" } },
  };
  Deno.writeTextFileSync(site.file, JSON.stringify(experiment));
  const { code, stderr } = await plateau(["check", site.file]);
  assert.equal(code, 3, stderr);
  assert.match(
    stderr,
    /Cannot start target a: there is no program "no-such-seed" on PATH, which its setup/,
  );
  assert.match(stderr, /Cannot start target b: there is no program ".\/no-such-script"/);
  assert.doesNotMatch(stderr, /later|target c/);
});

testWith(["linux"], "a resumed experiment sets its targets up again", async () => {
  using site = new CommandedSite();
  const experiment = { targets: { a: { app: "api", ...allStages("a") } }, repeat: 12 };
  {
    await using program = site.start(experiment);
    await program.until(
      "two runs are made",
      () => site.done().filter((line) => line === "after a").length >= 2,
    );
    program.kill("SIGINT");
    assert.equal((await program.ended).code, 130);
  }
  const first = site.done();
  assert.deepEqual([first[0], first.at(-1)], ["setup a", "teardown a"]);
  await using program = new Plateau(["run", "--resume", site.out], { cwd: "/" });
  const { code, stderr } = await program.ended;
  assert.equal(code, 0, stderr);
  const again = site.done().slice(first.length);
  assert.deepEqual([again[0], again.at(-1)], ["setup a", "teardown a"]);
  const { runs, commands = [] } = site.saved();
  assert.equal(runs.length, 12);
  assert.equal(commands.find(({ stage }) => stage === "setup")?.times, 2);
});
