/** What figures of each request of a mix cost: CPU of the generator's worker on a request, with and without them. */
import { loadOf } from "../scenarios/load/load.ts";
import type { Script } from "../scenarios/request/script.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { atMostTimes } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { loadHere } from "./stage/here.ts";
import { startNginx } from "./stage/nginx.ts";

const REQUESTS = 10;

/** @param named Whether each request has figures of its own. */
function mixOf(named: boolean): Script {
  const paths = Array.from({ length: REQUESTS }, (_, at) => `/${at}`);
  return {
    kind: "requests",
    stepNames: named ? paths : [],
    requests: paths.map((path, at) => ({
      kind: "request",
      step: at,
      wire: { method: "GET", path, headers: {}, body: null },
      expect: {},
      captures: [],
      follow: null,
    })),
    sequence: paths.map((_, at) => at),
  };
}

export const steps: Bench = {
  about: "figures of each request of a mix of ten, and none",
  rounds: 7,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const seen = await interleaved(["without", "with"], rounds, async (how) => {
      const { generator, requests, elapsedS } = await loadHere({
        origin: nginx.origin,
        script: mixOf(how === "with"),
        driver: "auto",
        load: loadOf({
          connections: 50,
          duration: short ? 1_000 : 5_000,
          timeout: 5_000,
          keepAlive: true,
          workers: 1,
        }),
      }, {});
      return generator.cpu * elapsedS * 1e6 / requests.completed;
    });
    const row = { samples: seen.with, baseline: medianOf(seen.without), bar: atMostTimes(1.03) };
    return [{
      caption: "CPU time of the worker on a request",
      unit: "µs",
      baseline: "without",
      rows: [
        { what: "without figures of each", samples: seen.without },
        { what: "with figures of each", ...row },
      ],
    }];
  },
};
