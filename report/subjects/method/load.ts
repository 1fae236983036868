/** A load in words, and what was chosen for it. */
import type { Run } from "../../../runner/result/result.ts";
import { formatCount, formatExactly, formatNumber, GLUE } from "../../writing/units.ts";
import { counted, listed, unique } from "../../writing/words.ts";
import * as z from "zod";

type RunLoad = Run["load"];

/** What all of the runs were loaded with. */
export function loadText(runs: readonly { readonly load: RunLoad }[]): string {
  const loads = runs.map(({ load }) => load);
  const [constant, staged] = closedLoads(loads);
  const rates = Map.groupBy(loads.filter((load) => load.kind === "rate"), aroundRate);
  const phases = loads.filter((load) => load.kind === "phases");
  const searches = loads.filter((load) => load.kind === "capacity");
  return [
    ...unique(searches.map(searchText)),
    ...(constant.length > 0 ? [closedText(constant)] : []),
    ...unique(staged.map(stagesText)),
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

type ClosedRunLoad = RunLoad & { kind: "closed" };

/** Those whose number of connections is constant, and those in stages. */
function closedLoads(loads: readonly RunLoad[]): [ClosedRunLoad[], ClosedRunLoad[]] {
  const closed = loads.filter((load) => load.kind === "closed");
  return [
    closed.filter(({ stages }) => stages === undefined),
    closed.filter(({ stages }) => stages !== undefined),
  ];
}

/** What connections are called. */
function connectionOf({ http2 }: Pick<RunLoad, "http2">): string {
  return http2 ? "HTTP/2 connection" : "connection";
}

/** `1 → 20 connections for 30 s, then 20 connections for 1 min`. */
function stagesText({ stages = [], keepAlive, http2 }: ClosedRunLoad): string {
  const texts = stages.map(({ durationS, from, to }) => {
    const number = from === to ? "" : `${formatCount(from)} → `;
    return `${number}${counted(to, connectionOf({ http2 }))} for ${formatExactly(durationS)}`;
  });
  return texts.join(", then ") + (keepAlive ? "" : ", a new connection for every request");
}

/** `10 HTTP/2 connections, 5 s, 8 streams on each`; where both protocols are: `10 connections, 5 s, over HTTP/1.1 or HTTP/2`. */
function closedText(loads: readonly ClosedRunLoad[]): string {
  const connections = unique(
    loads.map(({ connections }) => connections).toSorted((a, b) => a - b).map((n) =>
      formatCount(n)
    ),
  );
  const ends = unique(
    loads.toSorted((a, b) => (a.durationS ?? 0) - (b.durationS ?? 0)).map((
      { durationS, requests },
    ) => durationS === null ? counted(requests ?? 0, "request") : formatExactly(durationS)),
  );
  const pipeline = unique(
    loads.map(({ pipeline }) => pipeline).toSorted((a, b) => a - b).map(String),
  );
  const overHttp2 = loads.filter(({ http2 }) => http2).length;
  const isAll = overHttp2 === loads.length;
  const [one, atOnce] = isAll
    ? [connectionOf({ http2: true }), "streams"]
    : ["connection", "requests in flight"];
  return [
    `${listed(connections)} ${connections.join() === "1" ? one : `${one}s`}, ${listed(ends)}`,
    ...(pipeline.join() === "1" ? [] : [`${listed(pipeline)} ${atOnce} on each`]),
    ...(overHttp2 === 0 || isAll ? [] : ["over HTTP/1.1 or HTTP/2"]),
    ...(loads.some((load) => !load.keepAlive) ? ["a new connection for every request"] : []),
  ].join(", ");
}

function ratesText(loads: readonly (RunLoad & { kind: "rate" })[]): string {
  const rates = loads.map(({ rate }) => rate).toSorted((a, b) => a - b);
  return `${listed(unique(rates.map((rate) => formatNumber(rate))))} requests/s`;
}

function searchText(
  { within, budgetS, connections, arrivals, durationS, share = 1, http2 }: RunLoad & {
    kind: "capacity";
  },
): string {
  const most = counted(connections, connectionOf({ http2 }));
  return `the search for the capacity with ${listed(within, "and")}, at most ${
    formatExactly(budgetS)
  }, ` +
    `then ${formatExactly(durationS)} at ${
      share === 1 ? "it" : `${Number((share * 100).toPrecision(4))} % of it`
    }; over at most ${most}, ${ARRIVALS[arrivals]}`;
}

/** All but the rate. */
function aroundRate(
  { durationS, connections, arrivals, http2 }: RunLoad & { kind: "rate" },
): string {
  const most = counted(connections, connectionOf({ http2 }));
  return `over at most ${most}, ${formatExactly(durationS)}, ${ARRIVALS[arrivals]}`;
}

function phasesText({ pool, phases, arrivals, http2 }: RunLoad & { kind: "phases" }): string {
  const one = connectionOf({ http2 });
  const how = pool === "own"
    ? `each with a${http2 ? "n" : ""} ${one} of their own`
    : `sharing ${one}s`;
  return `virtual users ${how}: ${phases.map(phaseText).join(", then ")}, ${ARRIVALS[arrivals]}`;
}

const ARRIVALS = {
  poisson: "Poisson arrivals",
  uniform: "evenly spread arrivals",
  recorded: "at the moments of a log",
} as const;

function phaseText(
  { durationS, from, to }: (RunLoad & { kind: "phases" })["phases"][number],
): string {
  const rate = from === to
    ? `${formatNumber(from)}/s`
    : `${formatNumber(from)} → ${formatNumber(to)}/s`;
  return `${formatExactly(durationS)} at ${rate}`;
}

// What a scenario sends, in a line. Pure.

const MOST_CHARS = 100;

const path = z.string().optional();

/** A request, also one of a mix, or a step of a flow; `think` in milliseconds. */
const requestSpec = z.object({
  get: path,
  head: path,
  post: path,
  put: path,
  patch: path,
  delete: path,
  options: path,
  weight: z.number().positive().default(1),
  think: z.number().min(0).optional(),
});
type WrittenRequest = z.output<typeof requestSpec>;

const scenario = z.union([
  z.object({ flow: z.array(requestSpec).min(1) }),
  z.object({ mix: z.array(requestSpec).min(1) }),
  z.object({ page: z.string(), with: z.array(z.unknown()).default([]) }),
  z.object({ replay: z.object({ log: z.string(), speed: z.number() }) }),
  requestSpec,
]);

/**
 * Such as `POST /login`, `flow: GET /home → think 1 s → GET /me` or `mix: 70 % GET /a, 30 % GET /b`, at
 * most 100 characters; "" when the experiment does not say.
 * @param scenarios Of the experiment, with defaults filled in.
 */
export function requestText(name: string, scenarios: unknown): string {
  const { data } = z.record(z.string(), z.unknown()).safeParse(scenarios);
  const spec = scenario.safeParse(data?.[name]).data;
  if (spec === undefined) return "";
  if ("flow" in spec) return joinedTo("flow: ", spec.flow.map(stepText), " → ");
  if ("mix" in spec) return joinedTo("mix: ", mixTexts(spec.mix), ", ");
  if ("replay" in spec) return cut(replayText(spec.replay), MOST_CHARS);
  if (!("page" in spec)) return cut(stepText(spec), MOST_CHARS);
  const needed = spec.with.length === 0 ? "" : ` with ${spec.with.length} more`;
  return cut(`page: GET ${spec.page}`, MOST_CHARS - needed.length) + needed;
}

function replayText({ log, speed }: { readonly log: string; readonly speed: number }): string {
  return `replay of ${log}` + (speed === 1 ? "" : ` at ${formatNumber(speed)} times its speed`);
}

function stepText({ weight: _, think, ...paths }: WrittenRequest): string {
  if (think !== undefined) return `think ${thinkText(think)}`;
  const [method, path] = Object.entries(paths).find(([, path]) => path !== undefined) ?? [];
  return method === undefined ? "" : `${method.toUpperCase()} ${path}`;
}

/** As people write it: no digits but those given. */
function thinkText(ms: number): string {
  return ms < 1_000 ? `${ms}${GLUE}ms` : formatExactly(ms / 1_000);
}

function mixTexts(requests: readonly WrittenRequest[]): string[] {
  const total = requests.reduce((sum, { weight }) => sum + weight, 0);
  return requests.map((request) => {
    const percent = Number((100 * request.weight / total).toPrecision(3));
    return `${percent}${GLUE}% ${stepText(request)}`;
  });
}

/** As many as there is room for, and how many more there are. */
function joinedTo(head: string, texts: readonly string[], separator: string): string {
  for (let shown = texts.length; shown > 0; shown--) {
    const line = head + texts.slice(0, shown).join(separator) + more(texts.length - shown);
    if (line.length <= MOST_CHARS) return line;
  }
  const rest = more(texts.length - 1);
  return cut(head + texts[0], MOST_CHARS - rest.length) + rest;
}

function more(count: number): string {
  return count === 0 ? "" : ` and ${count} more`;
}

function cut(text: string, mostChars: number): string {
  return text.length <= mostChars ? text : `${text.slice(0, mostChars - 1)}…`;
}
