/** Results in which every outside text tries to be something else than text. */
import type { Results } from "../../runner/result.ts";
import { resultsFixture } from "./fixture.ts";

export const MARKUP = `<img src=x onerror="globalThis.injected=1">`;
export const SCRIPT = `</script><script>globalThis.injected=2</script><!--`;
export const STEERING = "\x1b[2J\x1b]0;title\x07\u202e\u009b31m\r\n";

const NASTY = `${MARKUP}${SCRIPT}${STEERING}|\`a\`|[x](javascript:1) *b* "q", =1+1`;

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
    experiment: { scenarios: { [NASTY]: { get: NASTY } } },
  });
  return { ...results, source: NASTY, redis: NASTY };
}
