/** Two servers in turns: `plateau versus` on those that run, and `order: slices` on those of an experiment. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { formatNumber } from "../../report/writing/units.ts";
import { results, type Run } from "../../runner/result/result.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { calibratedCache } from "./caches.ts";
import { pause } from "./patience.ts";
import { emptyFolder, exits, Plateau } from "./plateau.ts";
import { freePort, type Served, SERVER, serverOf } from "./working_server.ts";

const ratio = z.number();

const comparison = z.object({
  outcome: z.string(),
  cells: z.array(z.object({
    figures: z.object({ rate: z.object({ ratio, base: z.number(), next: z.number() }) }),
  })).length(1),
});

interface Watched extends Served {
  /** Connections that it has had. */
  readonly connections: () => number;
  /** From now on each response is an error. */
  readonly spoil: () => void;
}

/** @param spoiledFrom Connections from which on each response is an error. */
function watchedServer(spoiledFrom = Infinity): Watched {
  const ports = new Set<number>();
  let status = 200;
  const quiet = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(quiet, async (_, info) => {
    ports.add((info.remoteAddr as Deno.NetAddr).port);
    if (ports.size >= spoiledFrom) status = 500;
    await pause(4);
    return new Response("Hello", { status });
  });
  return {
    url: `http://127.0.0.1:${(server.addr as Deno.NetAddr).port}/`,
    connections: () => ports.size,
    spoil: () => status = 500,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Connections of a side when its first round is loaded: a preflight, a trial of two, another preflight, and one of the two. */
const FIRST_ROUND = 5;

/** And the preflight of the second. */
const SECOND_ROUND = 7;

Deno.test("versus compares what it has measured when it is interrupted, or a server fails", async () => {
  using folder = emptyFolder();
  const env = calibratedCache(folder.path);
  for (
    const [code, end] of [
      [130, (program: Plateau) => program.kill("SIGINT")],
      [3, (_: Plateau, server: Watched) => server.spoil()],
    ] as const
  ) {
    await using one = watchedServer();
    await using two = watchedServer();
    const json = join(folder.path, `${code}.json`);
    const flags = ["-c", "2", "-d", "8s", "--expect-status", "200", "--json", json];
    await using program = new Plateau(["versus", one.url, two.url, ...flags], { env });
    await program.until("a round is whole", () => two.connections() >= SECOND_ROUND);
    end(program, two);
    await exits(code, program.ended);
    comparison.parse(JSON.parse(Deno.readTextFileSync(json)));
  }
});

Deno.test("versus ends with 1 where responses were not as expected", async () => {
  using folder = emptyFolder();
  const env = calibratedCache(folder.path);
  await using one = watchedServer();
  await using two = watchedServer(FIRST_ROUND);
  // One round: before a second one a wrong response would be a server that cannot be measured.
  const flags = ["-c", "2", "-d", "400ms", "--expect-status", "200"];
  const { stderr } = await exits(1, ["versus", one.url, two.url, ...flags], { env });
  assert.match(stderr, /not as expected/);
});

const measuredCpu = z.object({
  cells: z.array(z.object({
    figures: z.object({ cpuPerRequest: z.object({ ratio: z.number().positive() }) }),
  })).length(1),
});

Deno.test({
  name: "versus sees the CPU time of servers that it has waited for",
  ignore: Deno.build.os !== "linux",
  async fn(): Promise<void> {
    using folder = emptyFolder();
    const env = calibratedCache(folder.path);
    const json = join(folder.path, "versus.json");
    using first = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const ports = [(first.addr as Deno.NetAddr).port, freePort()];
    const urls = ports.map((port) => `http://127.0.0.1:${port}/`);
    const flags = ["-c", "2", "-d", "1s", "--wait", "60s", "--json", json];
    await using program = new Plateau(["versus", ...urls, ...flags], { env });
    // It waits for the second when it has reached the first, whose place a server of its own then takes.
    (await first.accept()).close();
    first.close();
    await using _base = await serverOf(folder.path, { rounds: 30_000, port: ports[0] });
    await using _next = await serverOf(folder.path, { rounds: 30_000, port: ports[1] });
    const { code, stderr } = await program.ended;
    assert.ok([0, 1, 5].includes(code), stderr);
    measuredCpu.parse(JSON.parse(Deno.readTextFileSync(json)));
  },
});

const EXPERIMENT = (load: string): string => `
name: turns
targets:
  one: { command: [${
  JSON.stringify(Deno.execPath())
}, run, --no-config, --allow-net, --allow-env, server.js, "0", "0", "4"] }
  two: { command: [${
  JSON.stringify(Deno.execPath())
}, run, --no-config, --allow-net, --allow-env, server.js, "0", "0", "4"] }
scenarios: { hello: { get: / } }
load: ${load}
repeat: 2
order: slices
`;

/** Each law over slices. */
function assertSliced(run: Run, partner: Run): void {
  const { due, completed, failed, unfinished, dropped } = run.requests;
  assert.equal(due, completed + failed + unfinished + dropped);
  const { slices } = run;
  assert.ok(slices);
  assert.equal(slices.partner, partner.target);
  const { items } = slices;
  const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
  assert.equal(sum(items.served), completed);
  const { histogram, censoredHistogram } = slices;
  const bounds = censoredHistogram === undefined ? 0 : decodeSparse(censoredHistogram).count;
  // On a busy machine some requests of a rate are never sent: the histogram has them as lower bounds.
  assert.equal(decodeSparse(histogram).count - bounds, sum(items.completed));
  const measured = completed - (run.drain?.completed ?? 0);
  assert.ok(Math.abs(run.elapsedS - sum(items.measuredS)) < 1e-6);
  assert.ok(Math.abs(run.rate - measured / run.elapsedS) < 1e-6);
  assert.equal(sum(run.timeline.points.map((point) => point.completed)), measured);
  assert.deepEqual(items.pair, partner.slices?.items.pair);
  items.place.forEach((place, at) =>
    assert.equal(place, 1 - (partner.slices?.items.place[at] ?? 0))
  );
}

Deno.test("an experiment in slices runs its two targets at the same time, and loses no request", async () => {
  using folder = emptyFolder();
  const env = calibratedCache(folder.path);
  const out = join(folder.path, "out");
  Deno.writeTextFileSync(join(folder.path, "server.js"), SERVER);
  const file = join(folder.path, "turns.yaml");
  for (
    const load of [
      "{ connections: 4, duration: 1s }",
      "{ connections: 4, rate: 200/s, duration: 1s }",
    ]
  ) {
    Deno.writeTextFileSync(file, EXPERIMENT(load));
    const { stderr } = await exits(0, ["run", file, "--out", out], { cwd: folder.path, env });
    const { runs } = results.parse(JSON.parse(Deno.readTextFileSync(join(out, "results.json"))));
    assert.equal(runs.length, 4);
    for (const run of runs) {
      const [partner] = runs.filter(({ repetition, target }) =>
        repetition === run.repetition && target !== run.target
      );
      assertSliced(run, partner);
      // The progress tells each run with its own figures.
      assert.ok(stderr.includes(`] hello, ${run.target}: ${formatNumber(run.rate)} requests/s`));
    }
    Deno.removeSync(out, { recursive: true });
  }
});

Deno.test("interrupted after a pair of runs, an experiment in slices goes on with slices as long", async () => {
  using folder = emptyFolder();
  const surroundings = { cwd: folder.path, env: calibratedCache(folder.path) };
  const out = join(folder.path, "out");
  const file = join(out, "results.json");
  Deno.writeTextFileSync(join(folder.path, "server.js"), SERVER);
  Deno.writeTextFileSync(
    join(folder.path, "turns.yaml"),
    EXPERIMENT("{ connections: 4, duration: 1s }"),
  );
  const runsIn = (): Run[] => results.parse(JSON.parse(Deno.readTextFileSync(file))).runs;
  {
    await using program = new Plateau(["run", "turns.yaml", "--out", out], surroundings);
    await program.until("a pair is saved", () => existsSync(file) && runsIn().length >= 2);
    program.kill("SIGINT");
    await exits(130, program.ended);
  }
  assert.equal(runsIn().length, 2, "a pair is saved as one, or not at all");
  await exits(0, ["run", "--resume", out], surroundings);
  const runs = runsIn();
  assert.equal(runs.length, 4);
  const lengths = runs.map(({ slices }) => [slices?.sliceMs, slices?.cutMs, slices?.pauseMs]);
  for (const one of lengths) assert.deepEqual(one, lengths[0]);
});

for (
  const [load, why] of [
    ["{ connections: 4, requests: 100 }", /ends after a number of requests/],
    ["{ phases: [{ duration: 1s, arrivals: 10/s }] }", /has phases/],
  ] as const
) {
  Deno.test(`an experiment in slices with load ${load} is refused`, async () => {
    using folder = emptyFolder();
    const file = join(folder.path, "turns.yaml");
    Deno.writeTextFileSync(file, EXPERIMENT(load));
    const { stderr } = await exits(2, ["check", file], { cwd: folder.path });
    assert.match(stderr, why);
  });
}

Deno.test("an experiment in slices that keeps its processes is refused, as they would count as many pairs", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "turns.yaml");
  const text = EXPERIMENT("{ connections: 4, duration: 1s }");
  Deno.writeTextFileSync(file, `${text}fresh: false\n`);
  const { stderr } = await exits(2, ["check", file], { cwd: folder.path });
  assert.match(stderr, /Cannot measure in slices: every repetition needs fresh processes/);
});

Deno.test("a pair whose first processes cannot be measured is not started again", async () => {
  using folder = emptyFolder();
  const surroundings = { cwd: folder.path, env: calibratedCache(folder.path) };
  const out = join(folder.path, "out");
  Deno.writeTextFileSync(join(folder.path, "server.js"), SERVER);
  const file = join(folder.path, "turns.yaml");
  const text = EXPERIMENT("{ connections: 4, duration: 1s }")
    .replace("get: /", "get: /, expect: { status: 201 }");
  Deno.writeTextFileSync(file, text);
  await exits(3, ["run", file, "--out", out], surroundings);
  const { missing } = results.parse(JSON.parse(Deno.readTextFileSync(join(out, "results.json"))));
  assert.deepEqual(missing.map(({ repetition }) => repetition), [null, null]);
});
