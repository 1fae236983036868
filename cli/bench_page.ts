/** The report page of a single measurement: an experiment of one run. */
import { renderPage } from "../report/html/page.ts";
import { reportModel } from "../report/model.ts";
import { describeMachine } from "../runner/machine.ts";
import type { Measurement, Results } from "../runner/result.ts";

export function renderBenchPage(measurement: Measurement): string {
  return renderPage([reportModel(asResults(measurement))]);
}

function asResults(measurement: Measurement): Results {
  const { version, url, elapsed } = measurement;
  const { origin, pathname } = new URL(url);
  const finishedAt = new Date();
  const startedAt = new Date(finishedAt.getTime() - elapsed * 1_000).toISOString();
  return {
    schema: "plateau.results/1",
    version,
    experiment: { name: "bench", title: url },
    source: `plateau bench ${url}`,
    seed: 0,
    machine: describeMachine(),
    redis: null,
    startedAt,
    finishedAt: finishedAt.toISOString(),
    state: "done",
    planned: 1,
    runs: [{
      ...measurement,
      target: origin,
      scenario: pathname,
      repetition: 1,
      order: 1,
      parameters: {},
      startUp: null,
      startedAt,
      resources: [],
    }],
    missing: [],
  };
}
