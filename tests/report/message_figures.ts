/** Figures of WebSockets and of streams, as a measurement has them. */
import type { Measurement } from "../../runner/result/result.ts";
import { measurementFixture } from "./fixture.ts";

const { service } = measurementFixture({ target: "", scenario: "static", medianMs: 5_000 });

export function times(p50: number, p99: number, lowerBounds?: string[]): Measurement["service"] {
  const percentiles = { ...service.percentiles, "50": p50, "99": p99 };
  return { ...service, percentiles, ...lowerBounds && { lowerBounds } };
}

export const NONE = { ...service, count: 0 };
export const COUNTS = { due: 500, received: 500, failed: 0, unfinished: 0, dropped: 0 };

export const SOCKETS: NonNullable<Measurement["sockets"]> = {
  messages: COUNTS,
  message: times(1.5, 4),
  ...{ opened: 3, sent: 500, received: 500, messagesPerSec: 250, unmatched: 0 },
  closeCodes: { 1000: 3 },
};

export const STREAMS: NonNullable<Measurement["streams"]> = {
  messages: COUNTS,
  ...{ events: 500, eventsPerSec: 250, whole: 3, byName: [] },
  ...{ ttfe: times(3, 9), gap: times(50, 52, ["99"]) },
};
