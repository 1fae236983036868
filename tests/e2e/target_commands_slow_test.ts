/** The commands of targets: when they run, with what, and what becomes of a run where one fails. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { needing } from "../needs.ts";
import { allStages, assertNothingLeft, CommandedSite, says } from "./command_log.ts";
import { exits, Plateau } from "./plateau.ts";
import { adoptOrphans } from "./processes.ts";
import { startWitness } from "./witness.ts";

const withLinux = needing("linux");

if (Deno.build.os === "linux") adoptOrphans();

const RUN = (target: string): string[] => [`before ${target}`, `after ${target}`];

withLinux.test("commands of two targets run around each of their runs, in order", async () => {
  using site = new CommandedSite();
  const { stderr } = await site.exits(0, {
    targets: { a: { app: "api", ...allStages("a") }, b: { app: "api", ...allStages("b") } },
    scenarios: { static: { get: "/static" }, fib: { get: "/fib" } },
    repeat: 2,
  });
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
  assert.match(site.read("out/report.html"), /before each run[\s\S]{0,40}sh -c echo/);
  assert.match(stderr, /Setup of a: sh -c echo/);
  await assertNothingLeft();
});

/** The status of a request, from within a step. */
const REQUEST = `"${Deno.execPath()}" eval "console.log((await fetch(Deno.args[0])).status)" `;

withLinux.test("from the first step with {origin} on, before runs when the target responds", async () => {
  using site = new CommandedSite();
  await site.exits(0, {
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
  });
  assert.deepEqual(site.done(), ["first", "start", "200", "http://127.0.0.1:N", "last", "200"]);
});

withLinux.test("targets behind a gateway have their commands around its runs", async () => {
  using site = new CommandedSite();
  await site.exits(0, {
    targets: {
      behind: { app: "api", ...allStages("behind") },
      proxied: { proxy: { origin: "behind", ttl: ["1s", "2s"] }, ...allStages("proxied") },
    },
    scenarios: { static: { get: "/static", targets: ["proxied"] } },
  });
  const run = ["before behind", "before proxied", "after proxied", "after behind"];
  assert.deepEqual(site.done(), [
    ...["setup behind", "setup proxied", ...run, ...run],
    ...["teardown proxied", "teardown behind"],
  ]);
});

withLinux.test("a server at a URL has its commands, with its origin from the first on", async () => {
  using site = new CommandedSite();
  const paths: string[] = [];
  await using witness = startWitness({ onRequest: () => paths.push(site.done().at(-1) ?? "") });
  const steps = Object.fromEntries(["setup", "before", "after", "teardown"].map((stage) => [
    stage,
    [["sh", "-c", `echo ${stage} >> done; ${REQUEST} {origin}/`]],
  ]));
  await site.exits(0, { targets: { a: { url: witness.origin, ...steps } } });
  assert.deepEqual(site.done(), ["setup", "before", "after", "teardown"]);
  assert.equal(paths.filter((stage) => stage === "setup").length, 1);
  assert.equal(paths.filter((stage) => stage === "before").length, 1 + 1 + 20); // preflight and load
  assert.equal(paths.filter((stage) => stage === "after").length, 1);
  assert.equal(paths.filter((stage) => stage === "teardown").length, 1);
});

withLinux.test("one process for all runs has before and after around each of them", async () => {
  using site = new CommandedSite();
  await site.exits(0, {
    targets: {
      a: { app: "api", ...allStages("a"), before: [says("before a"), says("at {origin}")] },
    },
    fresh: false,
    repeat: 2,
  });
  const [, , at] = site.done();
  assert.match(at, /^at http:/);
  const run = ["before a", at, "after a"];
  assert.deepEqual(site.done(), ["setup a", ...run, ...run, "teardown a"]);
});

withLinux.test("a separate preflight check is a run for the commands", async () => {
  using site = new CommandedSite();
  await site.exits(0, {
    targets: { a: { app: "api", ...allStages("a") } },
    prove: "apart",
    repeat: 2,
  });
  assert.deepEqual(site.done(), [
    ...["setup a", ...RUN("a"), ...RUN("a"), ...RUN("a"), "teardown a"],
  ]);
});

withLinux.test("steps have the target's variables, their own and those of the user", async () => {
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
  using _variable = withVariable("OF_USER", "user");
  const { code, stderr } = await site.start(experiment).ended;
  assert.equal(code, 0, stderr);
  assert.deepEqual(site.done(), ["user one step  inner", "user two step  inner"]);
});

function withVariable(name: string, value: string): Disposable {
  Deno.env.set(name, value);
  return { [Symbol.dispose]: () => Deno.env.delete(name) };
}

withLinux.test("a secret that a step prints stands in no file", async () => {
  using site = new CommandedSite();
  const secret = "canary-of-a-step";
  using _variable = withVariable("SEED_TOKEN", secret);
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
  assert.equal(code, 0, stderr);
  assert.match(site.read("out/commands.log"), /\$\{env\.SEED_TOKEN\}\n/);
  for (const name of ["commands.log", "results.json", "report.html"]) {
    assert.ok(!site.read(`out/${name}`).includes(secret), name);
  }
  assert.ok(!(stdout + stderr).includes(secret), stderr);
});

withLinux.test("commands.log is its user's alone, and holds no secret of a command", async () => {
  using site = new CommandedSite();
  const secrets = ["canary-inherited", "canary-of-env", "canary-option", "canary-header"];
  using _variable = withVariable("CANARY_PASSWORD", secrets[0]);
  const { code, stdout, stderr } = await site.start({
    targets: {
      a: {
        app: "api",
        setup: [
          { command: ["sh", "-c", "echo of env $API_KEY"], env: { API_KEY: secrets[1] } },
          ["sh", "-c", "echo inherited $CANARY_PASSWORD"],
          ["sh", "-c", 'echo option "$@"', "sh", `--token=${secrets[2]}`],
          ["sh", "-c", `echo header 'authorization: Bearer ${secrets[3]}'`],
        ],
      },
    },
  }).ended;
  assert.equal(code, 0, stderr);
  const log = site.read("out/commands.log");
  assert.match(log, /^of env \[secret\]$/m);
  assert.match(log, /^inherited \$\{env\.CANARY_PASSWORD\}$/m);
  for (const name of ["commands.log", "results.json", "report.html"]) {
    for (const secret of secrets) assert.ok(!site.read(`out/${name}`).includes(secret), name);
  }
  for (const secret of secrets) assert.ok(!(stdout + stderr).includes(secret), secret);
  assert.equal(statSync(join(site.out, "commands.log")).mode & 0o777, 0o600);
});

withLinux.test("a link or a pipe in the place of commands.log is left alone, and a note says so", async () => {
  for (const plant of ["ln -s ../precious", "mkfifo"]) {
    using site = new CommandedSite();
    const precious = join(site.path, "precious");
    Deno.writeTextFileSync(precious, "as it was");
    const place = join(site.out, "commands.log");
    const { stderr } = await site.exits(0, {
      targets: {
        a: { app: "api", setup: [["sh", "-c", `rm -f ${place}; ${plant} ${place}; echo done`]] },
      },
    });
    assert.match(
      stderr,
      /Cannot write .*commands\.log: it is a (?:link|pipe, device, socket or folder)/,
    );
    assert.equal(site.read("precious"), "as it was");
  }
});

withLinux.test("the value of an inherited variable stands in no file", async () => {
  using site = new CommandedSite();
  const secret = "postgres://canary-inherited";
  using _variable = withVariable("SHOP_DATABASE", secret);
  const { code, stdout, stderr } = await site.start({
    targets: {
      a: {
        command: ["sh", "-c", "echo at $SHOP_DATABASE; exit 1"],
        inherit: ["SHOP_DATABASE"],
        setup: [["sh", "-c", "echo setup $SHOP_DATABASE"]],
      },
    },
  }).ended;
  assert.equal(code, 3, stderr);
  assert.match(site.read("out/commands.log"), /^setup \$\{env\.SHOP_DATABASE\}$/m);
  assert.match(stderr, /at \$\{env\.SHOP_DATABASE\}/);
  assert.deepEqual(site.saved().missing[0].evidence, ["at ${env.SHOP_DATABASE}"]);
  for (const name of ["commands.log", "results.json", "report.html"]) {
    assert.ok(!site.read(`out/${name}`).includes(secret), name);
  }
  assert.ok(!(stdout + stderr).includes(secret), stderr);
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
  const { stderr } = await exits(3, ["check", site.file]);
  assert.match(
    stderr,
    /Cannot start target a: there is no program "no-such-seed" on PATH, which its setup/,
  );
  assert.match(stderr, /Cannot start target b: there is no program ".\/no-such-script"/);
  assert.doesNotMatch(stderr, /later|target c/);
});

withLinux.test("a resumed experiment sets its targets up again", async () => {
  using site = new CommandedSite();
  const experiment = { targets: { a: { app: "api", ...allStages("a") } }, repeat: 6 };
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
  await exits(0, program.ended);
  const again = site.done().slice(first.length);
  assert.deepEqual([again[0], again.at(-1)], ["setup a", "teardown a"]);
  const { runs, commands = [] } = site.saved();
  assert.equal(runs.length, 6);
  assert.equal(commands.find(({ stage }) => stage === "setup")?.times, 2);
});
