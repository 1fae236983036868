/** Results in which every outside text tries to be something else than text. */
import type { AgentPart, Claim, Results } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { fleetMeasurement } from "./fleet.ts";

export const MARKUP = `<img src=x onerror="globalThis.injected=1">`;
export const SCRIPT = `</script><script>globalThis.injected=2</script><!--`;
export const STEERING = "\x1b[2J\x1b]0;title\x07\u202e\u009b31m\r\n";

const NASTY = `${MARKUP}${SCRIPT}${STEERING}|\`a\`|[x](javascript:1) *b* "q", =1+1`;

const CLAIM: Claim = {
  text: NASTY,
  source: NASTY,
  note: NASTY,
  says: { kind: "warmup", selector: { text: NASTY, parts: [] }, label: "flat" },
};
/** What it names is not there, so it stands in the sentence that says so. */
const STRANGE_CLAIM: Claim = {
  ...CLAIM,
  says: {
    kind: "warmup",
    selector: { text: NASTY, parts: [{ key: `no ${NASTY}`, value: NASTY }] },
    label: "flat",
  },
};

export function hostileResults(): Results {
  const results = resultsFixture({
    name: NASTY,
    title: NASTY,
    machine: { hostname: NASTY, cpu: NASTY, kernel: NASTY, os: NASTY },
    cells: [0, 1].map((i) => ({
      target: `${i} ${NASTY}`,
      scenario: NASTY,
      parameters: { [NASTY]: NASTY },
      medianMs: 10 + i,
      runs: 2,
      duration: 1,
      timeoutRatio: 0.01,
      reasons: [NASTY],
    })),
    missing: [{
      target: NASTY,
      scenario: NASTY,
      parameters: {},
      repetition: 1,
      kind: "failed",
      reason: NASTY,
      evidence: [NASTY],
    }],
    experiment: { scenarios: { [NASTY]: { get: NASTY } }, claims: [CLAIM, STRANGE_CLAIM] },
  });
  const runs = results.runs.map((run) => ({ ...run, agents: hostileAgents() }));
  return { ...results, runs, source: NASTY, redis: NASTY };
}

/** One of them far away, another lost, so that there is something to say of each. */
function hostileAgents(): AgentPart[] {
  const { agents = [] } = fleetMeasurement({
    agents: [{ name: "a" }, { name: "b", networkMs: 20 }, { name: "c", lostAt: 0.5 }],
    seconds: 1,
  });
  return agents.map((agent) => ({
    ...agent,
    name: `${agent.name} ${NASTY}`,
    host: NASTY,
    lost: agent.lost && { ...agent.lost, reason: NASTY },
  }));
}
