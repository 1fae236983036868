/** A load in words, and what was chosen for it. */
import type { Run } from "../../../runner/result/result.ts";
import { formatCount, formatExactly, formatNumber } from "../numbers/units.ts";
import { counted, listed, unique } from "../numbers/words.ts";

type RunLoad = Run["load"];

/** What all of the runs were loaded with. */
export function loadText(runs: readonly { readonly load: RunLoad }[]): string {
  const loads = runs.map(({ load }) => load);
  const closed = loads.filter((load) => load.kind === "closed");
  const rates = Map.groupBy(loads.filter((load) => load.kind === "rate"), aroundRate);
  const phases = loads.filter((load) => load.kind === "phases");
  return [
    ...(closed.length > 0 ? [closedText(closed)] : []),
    ...[...rates].map(([around, loads]) => `${ratesText(loads)} ${around}`),
    ...unique(phases.map(phasesText)),
  ].join("; ");
}

/** How each scenario was loaded, by its name; empty where all were loaded alike. */
export function scenarioLoads(
  { experiment, runs }: {
    readonly experiment?: Readonly<Record<string, unknown>>;
    readonly runs: readonly Pick<Run, "scenario" | "load">[];
  },
): ReadonlyMap<string, string> {
  const written = Object.values(Object(experiment?.scenarios));
  if (!written.some((scenario) => Object.hasOwn(Object(scenario), "load"))) return new Map();
  const byScenario = Map.groupBy(runs, ({ scenario }) => scenario);
  const loads = [...byScenario].map(([name, runs]) => [name, loadText(runs)] as const);
  return new Map(new Set(loads.map(([, load]) => load)).size > 1 ? loads : []);
}

/** `scale paper, delay 50ms`. @param parameters Of the experiment: name → value. */
export function parametersText(parameters: unknown): string {
  return Object.entries(Object(parameters)).map(([name, value]) =>
    `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`
  ).join(", ");
}

function closedText(loads: readonly (RunLoad & { kind: "closed" })[]): string {
  const connections = unique(
    loads.map(({ connections }) => connections).toSorted((a, b) => a - b).map((n) =>
      formatCount(n)
    ),
  );
  const ends = unique(
    loads.map(({ durationS, requests }) =>
      durationS === null ? counted(requests ?? 0, "request") : formatExactly(durationS)
    ),
  );
  const pipeline = unique(loads.map((load) => String(load.pipeline)));
  return [
    `${listed(connections)} ${connections.join() === "1" ? "connection" : "connections"}, ${
      listed(ends)
    }`,
    ...(pipeline.join() === "1" ? [] : [`${listed(pipeline)} requests in flight on each`]),
    ...(loads.some((load) => !load.keepAlive) ? ["a new connection for every request"] : []),
  ].join(", ");
}

function ratesText(loads: readonly (RunLoad & { kind: "rate" })[]): string {
  return `${listed(unique(loads.map(({ rate }) => formatNumber(rate))))} requests/s`;
}

/** All but the rate. */
function aroundRate({ durationS, connections, arrivals }: RunLoad & { kind: "rate" }): string {
  const most = counted(connections, "connection");
  return `over at most ${most}, ${formatExactly(durationS)}, ${ARRIVALS[arrivals]}`;
}

function phasesText({ pool, phases, arrivals }: RunLoad & { kind: "phases" }): string {
  const how = pool === "own" ? "each with a connection of their own" : "sharing connections";
  return `virtual users ${how}: ${phases.map(phaseText).join(", then ")}, ${ARRIVALS[arrivals]}`;
}

const ARRIVALS = { poisson: "Poisson arrivals", uniform: "evenly spread arrivals" } as const;

function phaseText(
  { durationS, from, to }: (RunLoad & { kind: "phases" })["phases"][number],
): string {
  const rate = from === to
    ? `${formatNumber(from)}/s`
    : `${formatNumber(from)} → ${formatNumber(to)}/s`;
  return `${formatExactly(durationS)} at ${rate}`;
}
