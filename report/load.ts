/** A load in words. */
import type { Run } from "../runner/result.ts";
import { formatCount, formatDuration, formatNumber } from "./units.ts";
import { listed, unique } from "./words.ts";

type Load = Run["load"];

/** What all of the runs were loaded with. */
export function loadText(runs: readonly { readonly load: Load }[]): string {
  const loads = runs.map(({ load }) => load);
  const closed = loads.filter((load) => load.kind === "closed");
  const open = loads.filter((load) => load.kind !== "closed");
  return [...(closed.length > 0 ? [closedText(closed)] : []), ...unique(open.map(openText))]
    .join("; ");
}

function closedText(loads: readonly (Load & { kind: "closed" })[]): string {
  const connections = unique(loads.map((load) => formatCount(load.connections)));
  const ends = unique(
    loads.map(({ duration, requests }) =>
      duration === null ? `${formatCount(requests ?? 0)} requests` : formatDuration(duration)
    ),
  );
  const pipeline = unique(loads.map((load) => String(load.pipeline)));
  return [
    `${listed(connections)} connections, ${listed(ends)}`,
    ...(pipeline.join() === "1" ? [] : [`${listed(pipeline)} requests in flight on each`]),
    ...(loads.some((load) => !load.keepAlive) ? ["a new connection for every request"] : []),
  ].join(", ");
}

function openText(load: Load & { kind: "rate" | "phases" }): string {
  const arrivals = load.arrivals === "poisson" ? "Poisson arrivals" : "evenly spread arrivals";
  if (load.kind === "rate") {
    const { rate, duration, connections } = load;
    return `${formatNumber(rate)} requests/s over at most ${
      formatCount(connections)
    } connections, ${formatDuration(duration)}, ${arrivals}`;
  }
  const pool = load.pool === "own" ? "each with a connection of his own" : "sharing connections";
  return `visitors ${pool}: ${load.phases.map(phaseText).join(", then ")}, ${arrivals}`;
}

function phaseText({ duration, from, to }: (Load & { kind: "phases" })["phases"][number]): string {
  const rate = from === to
    ? `${formatNumber(from)}/s`
    : `${formatNumber(from)} → ${formatNumber(to)}/s`;
  return `${formatDuration(duration)} at ${rate}`;
}
