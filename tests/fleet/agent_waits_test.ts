/** What one agent does with what it is asked, with a real Redis and a coordinator made by hand. */
import assert from "node:assert/strict";
import { packedSoFar } from "../../runner/fleet/protocol/packing.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { sentScript } from "../../runner/fleet/protocol/sent_script.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { until } from "../e2e/patience.ts";
import { exits } from "../e2e/plateau.ts";
import { startWitness } from "../e2e/witness.ts";
import { needing } from "../needs.ts";
import { ENDLESS, HandMade, jobOf } from "./hand_made.ts";
import { SharedAgent } from "./shared_agent.ts";

const withRedis = needing("redis");

const agent = new SharedAgent();

/** An agent looks every 50 ms when it starts: it has heard of it by then even where the machine stood still. */
const HEARD_MS = 1_000;

withRedis.test("an agent tells everything that a witness sees", async () => {
  await using witness = startWitness();
  await using coordinator = await HandMade.open(agent.redis.url);
  await agent.isIdle(coordinator);
  const request = requestScenarioSpec.parse({ get: "/?key=agents-secret" });
  const script = sentScript(scriptOf(request, 0));
  const secrets: [string, string][] = [["agents-secret", "${env.KEY}"]];
  const job = jobOf(coordinator, { origin: witness.origin, script, secrets });
  const startAtMs = await coordinator.startRun("one", job, HEARD_MS);
  assert.equal((await coordinator.presenceOf("one"))?.coordinator, coordinator.id);
  const { reports, bundles, startedAtMs } = await coordinator.hears("finished");
  assert.ok(Math.abs(startedAtMs - startAtMs) < 0.01);
  const [{ totals }] = reports;
  assert.ok(totals.completed > 0);
  assert.equal(totals.slowest[0].request, "GET /?key=${env.KEY}");
  assert.doesNotMatch(JSON.stringify(coordinator.heard), /agents-secret/);
  assert.equal(totals.due, totals.completed + totals.failed + totals.unfinished + totals.dropped);
  const sent = totals.due - totals.dropped;
  assert.equal(await witness.settledCount(), sent);
  const told = coordinator.bundles();
  assert.deepEqual(told.map(({ seq }) => seq), [...Array(bundles).keys()]);
  assert.ok(bundles > 2, `${bundles} bundles`);
  const inParts = told.flatMap(({ parts }) => parts.map(({ part }) => part.completed));
  const inTime = totals.completed - totals.drain.completed;
  assert.equal(inParts.reduce((sum, completed) => sum + completed, 0), inTime);
  const [last] = told.slice(-1).flatMap(({ soFar }) => packedSoFar.parse(soFar[0]));
  assert.equal(last.totals.completed, totals.completed);
  coordinator.fallSilent();
  await until(
    "it is idle",
    async () => (await coordinator.presenceOf("one"))?.coordinator === null,
  );
});

const REFUSED = {
  "a host that it was not allowed": [{ origin: "http://192.0.2.1" }, /Cannot load 192\.0\.2\.1/],
  "another version": [
    { origin: "http://127.0.0.1", version: "0.0.0" },
    /coordinator is version 0\.0\.0/,
  ],
  "a unix socket": [{ origin: "http://127.0.0.1", access: { unixPath: "/tmp/x" } }, /unix/],
  "what is no load": [
    { origin: "http://127.0.0.1", seed: -1, intervalMs: 0 },
    /seed[\s\S]*interval/,
  ],
  "what is no load, without its secret": [{
    origin: "http://127.0.0.1",
    driver: "agents-secret" as "auto",
    secrets: [["agents-secret", "${env.KEY}"]] as [string, string][],
  }, /driver: Cannot use "\$\{env\.KEY\}"/],
} as const;

withRedis.test("an agent refuses what it may not do, and says why", async () => {
  await using coordinator = await HandMade.open(agent.redis.url);
  await agent.isIdle(coordinator);
  for (const [what, [changes, why]] of Object.entries(REFUSED)) {
    coordinator.heard.length = 0;
    await coordinator.hire("one", jobOf(coordinator, { ...changes, run: `run-${what}` }));
    const { problems } = await coordinator.hears("refused");
    assert.match(problems.join("\n"), why, what);
  }
  assert.match(agent.process.printed.stderr, /a job was refused: driver/);
  assert.doesNotMatch(agent.process.printed.stderr, /agents-secret/);
  assert.equal((await coordinator.presenceOf("one"))?.coordinator, null);
});

withRedis.test("an agent names the target of a load as its user writes it", async () => {
  for (const [request, own] of [[{ get: "/" }, "http"], [{ websocket: "/ws" }, "ws"]] as const) {
    await using coordinator = await HandMade.open(agent.redis.url);
    await agent.isIdle(coordinator);
    const script = sentScript(scriptOf(requestScenarioSpec.parse(request), 0));
    await coordinator.order({ run: "run-1" });
    await coordinator.hire("one", jobOf(coordinator, { origin: "http://127.0.0.1:1", script }));
    const [, scheme] = await agent.prints(/ begins: (\w+):\/\/127\.0\.0\.1:1, 1 of 1 workers /);
    assert.equal(scheme, own);
  }
});

withRedis.test("an agent works for one coordinator at a time", async () => {
  await using witness = startWitness();
  await using first = await HandMade.open(agent.redis.url);
  await using second = await HandMade.open(agent.redis.url);
  await agent.isIdle(first);
  await first.order({ run: "run-1" });
  await first.hire("one", jobOf(first, { origin: witness.origin }));
  await first.hears("ready");
  await second.order({ run: "run-2" });
  await second.hire("one", jobOf(second, { origin: witness.origin, run: "run-2" }));
  const { problems } = await second.hears("refused");
  assert.deepEqual(problems, [
    `Cannot begin the run: this agent is already working for ${first.id}`,
  ]);
});

withRedis.test("an agent that is told to stop tells how far it came", async () => {
  await using witness = startWitness({ delayMs: 5 });
  await using coordinator = await HandMade.open(agent.redis.url);
  await agent.isIdle(coordinator);
  await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin, load: ENDLESS }));
  await coordinator.hears("bundle");
  await coordinator.order({ stop: true });
  const { reports: [{ totals }] } = await coordinator.hears("finished");
  assert.equal(await witness.settledCount(), totals.due - totals.dropped);
  await agent.prints(/run stopped: [\d,]+ requests, [\d,]+ requests\/s\n/);
});

withRedis.test("an agent that goes on with another run throws the last one away", async () => {
  await using witness = startWitness({ delayMs: 5 });
  await using coordinator = await HandMade.open(agent.redis.url);
  await agent.isIdle(coordinator);
  await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin, load: ENDLESS }));
  await coordinator.hears("bundle");
  await coordinator.order({ run: "run-2", startAtMs: null });
  await coordinator.hire("one", jobOf(coordinator, { origin: witness.origin, run: "run-2" }));
  await until("it is ready again", () => coordinator.heard.some(({ run }) => run === "run-2"));
  await agent.prints(/its results are discarded/);
  assert.equal(coordinator.heard.some(({ kind }) => kind === "finished"), false);
});

withRedis.test("two agents of one name are one too many", async () => {
  const { stderr } = await exits(2, ["agent", "--redis", agent.redis.url, "--name", "one"]);
  assert.match(
    stderr,
    /--name: Cannot start this agent as "one": another agent has that name \(end the other agent/,
  );
});

withRedis.test("an agent begins no run that its coordinator does not want just now", async () => {
  await using coordinator = await HandMade.open(agent.redis.url);
  await agent.isIdle(coordinator);
  await coordinator.order({ run: "run-2" });
  await coordinator.hire("one", jobOf(coordinator, { origin: "http://127.0.0.1:1" }));
  await agent.prints(/a job was dropped: its run is over/);
  assert.equal((await coordinator.presenceOf("one"))?.coordinator, null);
});
