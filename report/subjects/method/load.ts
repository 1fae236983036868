/** Loads in words, and the requests of a scenario. */
import * as z from "zod";
import { type LoadOptions, optionTexts } from "../../../base/load_options.ts";
import type { Run } from "../../../runner/result/result.ts";
import { formatCount, formatExactly, formatNumber, GLUE } from "../../writing/units.ts";
import { sum } from "../../writing/spread.ts";
import { counted, listed, unique } from "../../writing/words.ts";

type RunLoad = Run["load"];
type LoadOf<Kind extends RunLoad["kind"]> = RunLoad & { kind: Kind };

/** The loads of all these runs as one text. */
export function loadText(runs: readonly { readonly load: RunLoad }[]): string {
  const loads = runs.map(({ load }) => load);
  const closed = loads.filter((load) => load.kind === "closed");
  const constant = closed.filter(({ stages }) => stages === undefined);
  const rates = Map.groupBy(
    loads.filter((load) => load.kind === "rate"),
    (load) =>
      `over ${mostText(load)}, ${formatExactly(load.durationS)}, ${ARRIVALS[load.arrivals]}`,
  );
  return unique([
    ...loads.filter((load) => load.kind === "capacity").map(searchText),
    ...constant.length > 0 ? [closedText(constant)] : [],
    ...closed.filter(({ stages }) => stages !== undefined).map(stagesText),
    ...[...rates].map(([around, alike]) =>
      `${numbersText(alike.map(({ rate }) => rate), formatNumber)} requests/s ${around}`
    ),
    ...phasesTexts(loads.filter((load) => load.kind === "phases")),
  ]).join("; ");
}

/** How each scenario was loaded, as scenario → text; empty if all were loaded alike. */
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

/** For example `scale paper, delay 50ms`. @param parameters Parameters of the experiment: name → value. */
export function parametersText(parameters: unknown): string {
  return Object.entries(Object(parameters)).map(([name, value]) =>
    `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`
  ).join(", ");
}

const ARRIVALS = {
  poisson: "Poisson arrivals",
  uniform: "evenly spread arrivals",
  recorded: "at the moments of a log",
} as const;

function connectionOf({ http2 }: Pick<RunLoad, "http2">): string {
  return http2 ? "HTTP/2 connection" : "connection";
}

function mostText(load: Pick<RunLoad, "connections" | keyof LoadOptions>): string {
  const most = `at most ${counted(load.connections, connectionOf(load))}`;
  return [most, ...optionTexts(load)].join(", ");
}

/** For example `10 or 50`. Each number appears once, in ascending order. */
function numbersText(numbers: readonly number[], format: (n: number) => string): string {
  return listed(unique(numbers.toSorted((a, b) => a - b).map((n) => format(n))));
}

/** For example `1 → 20 connections for 30 s, then 20 connections for 1 min`. */
function stagesText(load: LoadOf<"closed">): string {
  const texts = (load.stages ?? []).map(({ durationS, from, to }) => {
    const number = from === to ? "" : `${formatCount(from)} → `;
    return `${number}${counted(to, connectionOf(load))} for ${formatExactly(durationS)}`;
  });
  return [texts.join(", then "), ...optionTexts(load)].join(", ");
}

/**
 * For example `10 HTTP/2 connections, 5 s, 8 streams on each`, or `10 connections, 5 s, over HTTP/1.1 or HTTP/2` if
 * both protocols occur.
 */
function closedText(loads: readonly LoadOf<"closed">[]): string {
  const connections = numbersText(loads.map(({ connections }) => connections), formatCount);
  const ends = loads.toSorted((a, b) => (a.durationS ?? 0) - (b.durationS ?? 0))
    .map(({ durationS, requests }) =>
      durationS === null ? counted(requests ?? 0, "request") : formatExactly(durationS)
    );
  const pipeline = numbersText(loads.map(({ pipeline }) => pipeline), String);
  const isHttp2 = loads.every(({ http2 }) => http2);
  const one = connectionOf(isHttp2 ? loads[0] : {});
  return [
    `${connections} ${one}${connections === "1" ? "" : "s"}, ${listed(unique(ends))}`,
    pipeline !== "1" && `${pipeline} ${isHttp2 ? "streams" : "requests in flight"} on each`,
    !isHttp2 && loads.some(({ http2 }) => http2) && "over HTTP/1.1 or HTTP/2",
    ...unique(loads.flatMap(optionTexts)),
  ].filter(Boolean).join(", ");
}

function searchText(load: LoadOf<"capacity">): string {
  const { within, budgetS, arrivals, durationS, share = 1 } = load;
  const found = share === 1 ? "it" : `${Number((share * 100).toPrecision(4))} % of it`;
  return `the search for the capacity with ${listed(within, "and")}, at most ${
    formatExactly(budgetS)
  }, then ${formatExactly(durationS)} at ${found}; over ${mostText(load)}, ${ARRIVALS[arrivals]}`;
}

/** Loads that are alike except for how their rates change over time share one text. */
function phasesTexts(loads: readonly LoadOf<"phases">[]): string[] {
  const textOf = (load: LoadOf<"phases">, courses: string): string => {
    const { pool, arrivals, http2 } = load;
    const one = connectionOf({ http2 });
    const own = `each with a${http2 ? "n" : ""} ${one} of their own`;
    const options = [courses, ARRIVALS[arrivals], ...optionTexts(load)].join(", ");
    return `virtual users ${pool === "own" ? own : `sharing ${one}s`}: ${options}`;
  };
  const alike = Map.groupBy(loads, (load) => textOf(load, ""));
  return [...alike.values()].map((those) =>
    textOf(those[0], coursesText(those.map(({ phases }) => phases)))
  );
}

type Course = LoadOf<"phases">["phases"];

/** For example `6 s at 20.0, 30.0 or 100/s` or `1 min at 5.00 → 50.0/s, then 10 s at 0/s`. */
function coursesText(courses: readonly Course[]): string {
  const [{ durationS }] = courses[0];
  const rates = courses.flatMap(([first, ...others]) =>
    others.length === 0 && first.from === first.to && first.durationS === durationS ? first.to : []
  );
  return rates.length === courses.length
    ? `${formatExactly(durationS)} at ${numbersText(rates, formatNumber)}/s`
    : listed(unique(courses.map(courseText)));
}

function courseText(phases: Course): string {
  return phases.map(({ durationS, from, to }) => {
    const rising = from === to ? "" : `${formatNumber(from)} → `;
    return `${formatExactly(durationS)} at ${rising}${formatNumber(to)}/s`;
  }).join(", then ");
}

// The requests of a scenario, on one line.

const MOST_CHARS = 100;
const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"];

/** A request, a part of a mix, or a step of a flow. `think` is in milliseconds. */
const requestSpec = z.object({
  weight: z.number().positive().default(1),
  think: z.union([z.number().min(0), z.object({ mean: z.number().min(0), as: z.string() })])
    .optional(),
}).catchall(z.unknown());
type WrittenRequest = z.output<typeof requestSpec>;

const scenario = z.union([
  z.object({ flow: z.array(requestSpec).min(1) }),
  z.object({ mix: z.array(requestSpec).min(1) }),
  z.object({
    page: z.string(),
    with: z.array(z.unknown()).default([]),
    parallel: z.number().optional(),
  }),
  z.object({ replay: z.object({ log: z.string(), speed: z.number() }) }),
  requestSpec.transform((request) => ({ request })),
]);

/**
 * A request, such as `POST /login`, `flow: GET /home → think 1 s → GET /me` or `mix: 70 % GET /a, 30 % GET /b`, in at
 * most 100 characters; "" if the experiment does not say what the request is.
 *
 * @param scenarios Scenarios of the experiment, with defaults filled in.
 */
export function requestText(name: string, scenarios: unknown): string {
  const { data } = z.record(z.string(), z.unknown()).safeParse(scenarios);
  const spec = scenario.safeParse(data?.[name]).data;
  if (spec === undefined) return "";
  if ("flow" in spec) return cut(`flow: ${spec.flow.map(stepText).join(" → ")}`);
  if ("mix" in spec) return cut(`mix: ${mixTexts(spec.mix).join(", ")}`);
  if ("replay" in spec) {
    const { log, speed } = spec.replay;
    const times = speed === 1 ? "" : ` at ${formatNumber(speed)} times its speed`;
    return cut(`replay of ${log}${times}`);
  }
  if ("request" in spec) return cut(stepText(spec.request));
  const { with: resources, parallel = 1 } = spec;
  const atATime = parallel === 1 ? "" : `, ${parallel} at a time`;
  const needed = resources.length === 0 ? "" : ` with ${resources.length} more${atATime}`;
  return cut(`page: GET ${spec.page}`, MOST_CHARS - needed.length) + needed;
}

function stepText({ think, ...spec }: WrittenRequest): string {
  // A think time is shown with the digits that it has in the file.
  if (typeof think === "number") return `think ${thinkText(think)}`;
  if (think !== undefined) return `think ${thinkText(think.mean)} on average (${think.as})`;
  if (typeof spec.grpc === "string") return `gRPC ${spec.grpc}`;
  if (typeof spec.websocket === "string") return `WebSocket ${spec.websocket}`;
  const [method, path] =
    Object.entries(spec).find(([key, path]) => METHODS.includes(key) && typeof path === "string") ??
      [];
  return method === undefined ? "" : `${method.toUpperCase()} ${path}`;
}

function thinkText(ms: number): string {
  return ms < 1_000 ? `${ms}${GLUE}ms` : formatExactly(ms / 1_000);
}

function mixTexts(requests: readonly WrittenRequest[]): string[] {
  const total = sum(requests, ({ weight }) => weight);
  return requests.map((request) => {
    const percent = Number((100 * request.weight / total).toPrecision(3));
    return `${percent}${GLUE}% ${stepText(request)}`;
  });
}

function cut(text: string, mostChars = MOST_CHARS): string {
  return text.length <= mostChars ? text : `${text.slice(0, mostChars - 1)}…`;
}
