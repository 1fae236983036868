/**
 * What becomes of `bench`, `run` and `serve` where the kernel denies a call, as seccomp filters of containers do
 * (EPERM) and older kernels or emulators (ENOSYS): they do their work, or say in a line what they lack.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Measurement, Results } from "../../runner/result/result.ts";
import { needing } from "../needs.ts";
import { type Call, type ErrorName, without } from "./denying.ts";
import { emptyFolder, type Ended, exits, Plateau, plateau } from "./plateau.ts";
import { adoptOrphans, descendants } from "./processes.ts";

const withSeccomp = needing("seccomp");
const withLinux = needing("linux");

interface Case {
  readonly call: Call;
  /** Absent: either. */
  readonly errors?: readonly ErrorName[];
  /** What `bench` notes; absent: nothing. */
  readonly note?: RegExp;
}

const EITHER: readonly ErrorName[] = ["ENOSYS", "EPERM"];

const TIMER =
  "Workers wait with epoll_wait and a timerfd, which is just as punctual: the system denies";

/** clone3 with EPERM is apart: Deno itself needs it. */
const CASES: readonly Case[] = [
  { call: "epoll_pwait2", note: new RegExp(`^${TIMER} epoll_pwait2 \\(\\w[^)]+\\)$`) },
  { call: "epoll_pwait", errors: Deno.build.arch === "x86_64" ? undefined : [] }, // Deno's own on arm64
  { call: "timerfd_create" },
  { call: "prctl", note: new RegExp(`^${TIMER} prctl$`) },
  { call: "sched_setaffinity" },
  { call: "pidfd_open" },
  { call: "pidfd_send_signal" },
  { call: "clone3", errors: ["ENOSYS"] },
];

/** A server within the test. */
function serveHere(): Deno.HttpServer<Deno.NetAddr> {
  const options = { hostname: "127.0.0.1", port: 0, onListen: (): void => {} };
  return Deno.serve(options, () => new Response("here"));
}

async function bench(through: readonly string[], ...flags: string[]): Promise<Ended> {
  await using server = serveHere();
  const url = `http://127.0.0.1:${server.addr.port}/`;
  return await plateau(["bench", url, "-n", "100", "-c", "2", "--json", "-", ...flags], {
    through,
  });
}

async function assertBenches(through: readonly string[], note?: RegExp): Promise<void> {
  const { stdout, stderr } = await exits(0, bench(through));
  const { requests, driver, driverNote } = JSON.parse(stdout) as Measurement;
  assert.deepEqual([requests.completed, driver], [100, "epoll"]);
  if (note === undefined) return void assert.deepEqual([driverNote, stderr], [undefined, ""]);
  assert.match(driverNote ?? "", note);
  assert.equal(stderr, `${driverNote}\n`);
}

const BRIEF = join(import.meta.dirname ?? "", "fixtures/brief.yaml");
const SHORT = ["run", BRIEF, "--only", "scenario=static"];

async function assertRuns(through: readonly string[]): Promise<void> {
  using folder = emptyFolder();
  await exits(0, [...SHORT, "--out", folder.path], { through });
  const text = Deno.readTextFileSync(join(folder.path, "results.json"));
  const { runs, missing } = JSON.parse(text) as Results;
  assert.equal(runs.length, 1);
  assert.ok(runs[0].requests.completed > 0);
  assert.deepEqual(missing ?? [], []);
}

async function assertServes(through: readonly string[]): Promise<void> {
  await using program = new Plateau(["serve", "api", "--port", "0"], { through });
  const [, origin] = await program.prints(/^listening (http:\/\/\S+)$/m);
  assert.equal(await (await fetch(`${origin}/static`)).text(), '{"ok":true}');
  program.kill("SIGTERM");
  const { code, stderr } = await program.ended;
  assert.deepEqual([code, stderr], [130, ""]);
}

function assertNothingLeft(): void {
  assert.deepEqual(descendants(Deno.pid).map(({ command }) => command), []);
}

for (const { call, note, errors = EITHER } of CASES) {
  for (const error of errors) {
    withSeccomp.test(`bench, run and serve work where ${call} fails with ${error}`, async () => {
      adoptOrphans();
      const through = without([call], error);
      await Promise.all([assertBenches(through, note), assertRuns(through), assertServes(through)]);
      assertNothingLeft();
    });
  }
}

for (const error of EITHER) {
  withSeccomp.test(`a rate is kept where sched_setattr fails with ${error}`, async () => {
    await using server = serveHere();
    const url = `http://127.0.0.1:${server.addr.port}/`;
    const flags = "-c 2 -r 500/s -d 700ms --driver epoll --json -".split(" ");
    const through = without(["sched_setattr"], error);
    const { code, stdout, stderr } = await plateau(["bench", url, ...flags], { through });
    const { requests: { due, completed, dropped } } = JSON.parse(stdout) as Measurement;
    assert.deepEqual([code, stderr, due, completed + dropped], [0, "", 350, 350]);
  });
}

const NEITHER = /the system denies epoll_pwait2 \(.+\) and timerfd_create \(.+\)$/;

withSeccomp.test("bench takes the tcp driver where nothing wakes an epoll in time", async () => {
  const { code, stdout, stderr } = await bench(
    without(["epoll_pwait2", "timerfd_create"], "EPERM"),
  );
  const { requests, driver, driverNote } = JSON.parse(stdout) as Measurement;
  assert.deepEqual([code, requests.completed, driver], [0, 100, "tcp"]);
  assert.match(stderr.trim(), /^Workers use the tcp driver, because epoll is not available here: /);
  assert.match(stderr.trim(), NEITHER);
  assert.equal(stderr, `${driverNote}\n`);
});

/** What cannot be had at all, and the first line about it. */
const REFUSALS: {
  what: string;
  calls: Call[];
  args: (folder: string) => string[];
  says: RegExp;
}[] = [
  {
    what: "bench with --driver epoll, where nothing wakes an epoll in time",
    calls: ["epoll_pwait2", "timerfd_create"],
    args: () => ["bench", "http://127.0.0.1:1/", "--driver", "epoll"],
    says: /^Cannot use the epoll driver: the system denies epoll_pwait2 .+ and timerfd_create/,
  },
  {
    what: "bench where it may not connect",
    calls: ["connect"],
    args: () => ["bench", "http://127.0.0.1:1/", "-n", "10"],
    says:
      /^Cannot measure http:\S+: no request got a response: 10 could not connect\n {2}127.0.0.1:1: operation not permitted$/m,
  },
  {
    what: "run where it may start no program",
    calls: ["execve"],
    args: (folder) => [...SHORT, "--out", folder],
    says: /^failed: static, api, run 1: Cannot start a process: .+ not permitted/m,
  },
  {
    what: "run of pinned targets where it may not pin",
    calls: ["sched_setaffinity"],
    args: (folder) => ["run", pinnedFile(folder), "--out", join(folder, "out")],
    says: /^Cannot keep targets and workers to their cores: the system refuses/,
  },
];

function pinnedFile(folder: string): string {
  const path = join(folder, "pinned.json");
  const experiment = {
    name: "pinned",
    targets: { api: { app: "api" } },
    scenarios: { static: { get: "/static" } },
    load: { connections: 1, duration: "100ms" },
    pin: { workers: "0" },
  };
  Deno.writeTextFileSync(path, JSON.stringify(experiment));
  return path;
}

for (const { what, calls, args, says } of REFUSALS) {
  withSeccomp.test(`${what}, ends with code 3 and says why`, async () => {
    using folder = emptyFolder();
    const through = without(calls, "EPERM");
    const { stderr } = await exits(3, args(folder.path), { through });
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /^ +at |defect of Plateau/m);
    assertNothingLeft();
  });
}

withLinux.test("serve of an app with files ends with code 3 where it may write none", async () => {
  const env = { TMPDIR: "/nowhere" };
  const { stderr } = await exits(3, ["serve", "wiki", "--port", "0"], { env });
  assert.match(
    stderr,
    /^Cannot make a temporary folder in \/nowhere: .+\n {2}set TMPDIR to a folder that/,
  );
});
