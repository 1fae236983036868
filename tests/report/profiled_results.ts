/** Results with profiles of two targets on one runtime. */
import type { Results, TargetProfile } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";

export const HOSTILE = `</script><img src=x onerror="alert(1)">`;

/** Calls of a handler to one function, with what else took time. */
export function profileOf(
  target: string,
  run: number,
  hotMs: number,
  name = "stringify",
): TargetProfile {
  return {
    target,
    scenario: "static",
    parameters: {},
    run,
    startedAt: "2031-05-04T10:19:00.000Z",
    fromS: 1,
    forS: 2,
    rate: 500,
    processes: [{
      pid: 12,
      program: "node",
      profiler: "v8",
      file: `profiles/${target}.cpuprofile`,
      samples: 900,
      reason: null,
    }],
    busyMs: hotMs + 400,
    idleMs: 0,
    tree: {
      frames: [
        { name: "json", module: "express/lib/response.js", line: 239 },
        { name, module: "app/main.js", line: 7 },
        { name: "(garbage collector)", module: "", line: 0 },
      ],
      frame: [0, 1, 2],
      parent: [-1, 0, -1],
      ownMs: [300, hotMs, 100],
    },
    pruned: { nodes: 12, ms: 4 },
    notes: [],
  };
}

export function resultsWith(profiles: TargetProfile[]): Results {
  const fixture = resultsFixture({
    cells: [
      { target: "fast", scenario: "static", medianMs: 1, runs: 2 },
      { target: "slow", scenario: "static", medianMs: 3, runs: 2 },
    ],
  });
  const runs = fixture.runs.map((run) => ({ ...run, runtime: "node v20.1.0" }));
  return { ...fixture, runs, profiles };
}
