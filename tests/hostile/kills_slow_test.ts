/**
 * Plateau killed with KILL, which leaves it no time for anything, at ten moments: nothing of it is left but results that
 * are whole, and can be gone on with.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { occupy } from "../../cli/results/out_dir.ts";
import { readResults } from "../../cli/results/reading.ts";
import { planResumed } from "../../cli/experiment/resume.ts";
import { Fleet } from "../e2e/fleet/fleet.ts";
import { until } from "../e2e/patience.ts";
import { emptyFolder, exits, Plateau } from "../e2e/plateau.ts";
import { adoptOrphans, descendants } from "../e2e/processes.ts";
import { listeningPorts, OWN_HOST } from "../listening.ts";
import { needing, testWith } from "../needs.ts";

const withLinuxAndRedis = needing("linux", "redis");

if (Deno.build.os === "linux") adoptOrphans();

/** Exit code of whoever was ended by KILL. */
const KILLED = 128 + 9;
const MOST_TRIES = 5;

let killed = 0;

/** A server of the test, behind a proxy that the experiment starts: what reaches it shows how far the run is. */
class Origin implements AsyncDisposable {
  asked = 0;
  readonly #over = Promise.withResolvers<void>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** @param isMute Leaves every request without an answer. */
  constructor(isMute: boolean) {
    const quiet = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
    this.#server = Deno.serve(quiet, async () => {
      this.asked += 1;
      if (isMute) await this.#over.promise;
      return new Response("origin");
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.resolve();
    await this.#server.shutdown();
  }
}

/** Resolves when a file whose path matches is made or changed below the folder. */
async function touched(folder: string, path: RegExp): Promise<void> {
  using changes = Deno.watchFs(folder);
  for await (const { paths } of changes) if (paths.some((one) => path.test(one))) return;
}

interface Stage {
  readonly program: Plateau;
  readonly origin: Origin;
  readonly processes: () => string;
}

interface Moment {
  readonly when: string;
  /** Resolves at the moment, by what is seen from outside. */
  readonly comes: (stage: Stage) => Promise<unknown>;
  /** Of the file whose making is the moment, in place of `comes`. */
  readonly file?: RegExp;
  /** A target in place of the proxy. */
  readonly target?: object;
  readonly isMute?: boolean;
  readonly args?: readonly string[];
  /** Whether what is left is gone on with to its end. */
  readonly goesOn?: boolean;
}

const asks = (count: number) => ({ program, origin }: Stage): Promise<unknown> =>
  program.until(`it has asked ${count} times`, () => origin.asked >= count);
const anyhow = (): Promise<void> => Promise.resolve();

const MOMENTS: readonly Moment[] = [
  { when: "starts up", comes: anyhow, file: /\/out$/ },
  {
    when: "starts a target",
    target: { command: ["sh", "-c", "sleep 600; exit {port}"] },
    comes: ({ program, processes }) =>
      program.until("the target is there", () => processes().includes("sleep 600")),
  },
  { when: "checks the answers", isMute: true, comes: asks(1) },
  { when: "warms its workers up", comes: asks(1) },
  { when: "loads", comes: asks(50) },
  {
    when: "is between two runs",
    comes: ({ program }) => program.prints(/^\[1\/3\]/m),
    goesOn: true,
  },
  { when: "saves its results", comes: anyhow, file: /\/results\.json/ },
  { when: "writes its report", comes: anyhow, file: /\/report\.html/ },
  {
    when: "shows a page as it measures",
    args: ["--live"],
    comes: async ({ program }) => {
      const [url] = await program.prints(/http:\/\/127\.0\.0\.1:\d+\/\S*/);
      const reader = await fetch(new URL("events", url));
      await reader.body?.getReader().read();
    },
  },
];

function startIn(folder: string, origin: Origin, { target, args = [] }: Moment): Plateau {
  const file = join(folder, "killed.json");
  const proxied = { proxy: { origin: origin.url } };
  const experiment = {
    name: "killed",
    targets: { one: target ?? proxied },
    scenarios: { any: { post: "/" } }, // which no proxy keeps
    load: { connections: 2, requests: 100 },
    repeat: 3,
  };
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  const out = join(folder, "out");
  return new Plateau(["run", file, "--out", out, "--host", OWN_HOST, ...args]);
}

async function assertNothingLeft(): Promise<void> {
  const left = (): string[] => descendants(Deno.pid).map(({ command }) => command);
  await until(() => `these have ended: ${left().join("; ")}`, () => left().length === 0);
  // A process is over a moment before the last of its threads, and with that its sockets, are.
  await until("nobody listens", () => listeningPorts(OWN_HOST).length === 0);
}

/** Whole and free to be gone on with, if anything was saved. */
async function assertResumable(out: string): Promise<void> {
  if (!existsSync(join(out, "results.json"))) return;
  const kept = await readResults(out);
  const { plan } = await planResumed(out, kept, {});
  assert.equal(plan.cells.length, 1);
  using _ = await occupy(out);
}

async function assertGoesOn(out: string): Promise<void> {
  await exits(0, ["run", "--resume", out]);
  const { state, runs } = await readResults(out);
  assert.deepEqual([state, runs.length], ["done", 3]);
  await assertNothingLeft();
}

/** False when it ended by itself before, as a machine may stand still between a moment and a kill. */
async function isKilledAt(moment: Moment): Promise<boolean> {
  using folder = emptyFolder();
  await using origin = new Origin(moment.isMute ?? false);
  const file = moment.file && touched(folder.path, moment.file);
  await using program = startIn(folder.path, origin, moment);
  const processes = (): string => descendants(program.pid).map(({ command }) => command).join("\n");
  await moment.comes({ program, origin, processes });
  await file;
  program.kill("SIGKILL");
  const { code } = await program.ended;
  await assertNothingLeft();
  const out = join(folder.path, "out");
  await (moment.goesOn ? assertGoesOn : assertResumable)(out);
  return code === KILLED;
}

for (const moment of MOMENTS) {
  const sentence = `killed when it ${moment.when}, it leaves nothing but whole results`;
  testWith(["linux"], sentence, async () => {
    let isKilled = false;
    for (let tries = 0; tries < MOST_TRIES && !isKilled; tries++) {
      isKilled = await isKilledAt(moment);
    }
    assert.ok(isKilled, "it always ended before");
    killed += 1;
  });
}

withLinuxAndRedis.test("killed when agents load for it, it leaves agents that are free", async () => {
  {
    await using fleet = await Fleet.start({ agents: { a: {} } });
    await using program = fleet.bench("-c", "2", "-r", "100/s", "-d", "60s");
    await program.until("the agent loads", () => fleet.arrivals.length > 10);
    program.kill("SIGKILL");
    await program.ended;
    await fleet.isFree();
  }
  await assertNothingLeft();
  killed += 1;
});

withLinuxAndRedis.test("it was killed at ten moments", () => {
  assert.equal(killed, 10);
  return Promise.resolve();
});
