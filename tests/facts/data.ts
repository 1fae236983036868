/** The facts of the files that scripts read: CSV, JSON, JUnit, histogram logs, metrics. Pure. */
import { createHash } from "node:crypto";
import { parse } from "csv-parse/sync";
import * as z from "zod";
import { type Found, oneLine, WORDS } from "./fact.ts";

/** What tells one row of a CSV from another, wherever it stands. */
const ROW = /^(?:target|scenario|repetition|connections|rate|workers|startS|set\..*)$/;

export function csvFacts(kind: string, text: string): Found[] {
  return rowsOf(text).flatMap(({ place, cells }) =>
    cells.map(([key, value]) => ({ kind, place, key, value }))
  );
}

/** A row a fact: timelines have as many cells as everything else together. */
export function csvRowFacts(kind: string, text: string): Found[] {
  return rowsOf(text).map(({ place, cells }) => ({
    kind,
    place: "",
    key: place,
    value: cells.map(([column, value]) => `${column}=${value}`).join(" "),
  }));
}

function rowsOf(text: string): { place: string; cells: [column: string, value: string][] }[] {
  const rows: Record<string, string>[] = parse(text, { columns: true, bom: true });
  return rows.map((row) => {
    const cells = Object.entries(row);
    const named = cells.filter(([column, value]) => ROW.test(column) && value !== "");
    return { place: named.map(([column, value]) => `${column}=${value}`).join(" "), cells };
  });
}

/** Members that name what an object is about, so that its place in a list does not matter. */
const NAMES = [
  ...[
    ...["scenario", "target", "base", "next", "label", "name", "claim", "threshold", "rule"],
    "figure",
  ],
  ...["code", "title", "repetition"],
];

/** @param stored What was rendered: where the JSON passes it on as it is, one fact says so of the whole part. */
export function jsonFacts(kind: string, text: string, stored?: unknown): Found[] {
  return valueFacts(kind, JSON.parse(text), { path: "", stored });
}

interface Walk {
  readonly path: string;
  readonly stored: unknown;
}

function valueFacts(kind: string, value: unknown, { path, stored }: Walk): Found[] {
  if (typeof value === "string") return [textFact(kind, path, value)];
  if (typeof value !== "object" || value === null) {
    return [{ kind, place: "", key: path, value: String(value) }];
  }
  const json = JSON.stringify(value);
  if (json.length > 200 && json === JSON.stringify(stored)) {
    return [{ kind, place: "", key: path, value: `as stored, ${digest(json)}` }];
  }
  const isList = Array.isArray(value);
  const seen = new Map<string, number>();
  return Object.entries(value).flatMap(([key, inner]) => {
    const before = typeof stored === "object" && stored !== null ? Reflect.get(stored, key) : null;
    let step = isList ? nameOf(inner) ?? key : key;
    const times = (seen.get(step) ?? 0) + 1;
    seen.set(step, times);
    if (times > 1) step += ` #${times}`;
    const below = isList ? `${path}[${step}]` : path === "" ? step : `${path}.${step}`;
    return valueFacts(kind, inner, { path: below, stored: before });
  });
}

function nameOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const names = NAMES.map((key) => Reflect.get(value, key))
    .filter((name) => typeof name === "string" || typeof name === "number");
  const parameters = "parameters" in value ? JSON.stringify(value.parameters) : "{}";
  if (parameters !== "{}" && parameters !== undefined) names.push(parameters);
  return names.length === 0 ? null : names.join(", ");
}

/** A code is one word; what has spaces is a sentence; what is long and has none is packed. */
function textFact(kind: string, key: string, value: string): Found {
  if (/\s/.test(value)) return { kind: WORDS, place: kind, key, value };
  return { kind, place: "", key, value: value.length > 60 ? digest(value) : value };
}

function digest(text: string): string {
  return `#${createHash("sha256").update(text).digest("hex").slice(0, 10)}`;
}

/** Tag, start and length of each interval, with what its histogram holds. */
export function histogramLogFacts(text: string): Found[] {
  const lines = text.split("\n").filter((line) => line !== "" && !/^[#"]/.test(line));
  return lines.map((line) => {
    const fields = line.split(",");
    const [tag, histogram] = [fields[0], fields.at(-1) ?? ""];
    const numbers = fields.slice(1, -1).join(" ");
    return { kind: "hlog", place: "", key: tag, value: `${numbers} ${digest(histogram)}` };
  });
}

/** Outcome and time of each test. The suite's own time stamp is that of the moment, so it is no fact. */
export function junitFacts(xml: string): Found[] {
  const found: Found[] = [];
  for (
    const [, attributes, rest] of xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g)
  ) {
    const outcome = /<(failure|error|skipped)\b/.exec(rest ?? "")?.[1] ?? "passed";
    const of = attributeOf(attributes, "classname");
    const key = attributeOf(attributes, "name");
    const value = `${outcome}, ${attributeOf(attributes, "time")} s`;
    found.push({ kind: "junit", place: of, key, value });
    const message = oneLine((rest ?? "").replace(/<[^>]*>/g, " "));
    if (message !== "") found.push({ kind: WORDS, place: "junit", key, value: message });
  }
  for (const [, attributes] of xml.matchAll(/<testsuite\b([^>]*)>/g)) {
    for (const count of ["tests", "failures", "errors", "skipped"]) {
      const place = attributeOf(attributes, "name");
      found.push({ kind: "junit", place, key: count, value: attributeOf(attributes, count) });
    }
  }
  return found;
}

function attributeOf(attributes: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
}

const attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });

const dataPoints = z.object({
  dataPoints: z.array(z.looseObject({ attributes: z.array(attribute).default([]) })),
});

const metric = z.object({ name: z.string(), unit: z.string(), description: z.string() })
  .catchall(dataPoints.catchall(z.unknown()));
type Metric = z.output<typeof metric>;

const request = z.object({
  resourceMetrics: z.array(z.object({
    resource: z.object({ attributes: z.array(attribute) }),
    scopeMetrics: z.array(z.object({ metrics: z.array(metric) })),
  })),
});

/** Each data point by its metric and attributes, after those of its resource. @param body An ExportMetricsServiceRequest. */
export function metricFacts(body: string): Found[] {
  return request.parse(JSON.parse(body)).resourceMetrics.flatMap(({ resource, scopeMetrics }) => [
    { kind: "otlp", place: "", key: "resource", value: attributesText(resource.attributes) },
    ...scopeMetrics.flatMap(({ metrics }) => metrics).flatMap(metricFactsOf),
  ]);
}

function metricFactsOf({ name, unit, description: _, ...shapes }: Metric): Found[] {
  return Object.entries(shapes).flatMap(([shape, { dataPoints, ...settings }]) =>
    dataPoints.map(({ attributes, ...point }) => ({
      kind: "otlp",
      place: attributesText(attributes),
      key: `${name} ${unit} ${shape} ${JSON.stringify(settings)}`,
      value: pointText(point),
    }))
  );
}

function pointText(point: object): string {
  const text = JSON.stringify(point);
  return text.length > 400 ? digest(text) : text;
}

function attributesText(attributes: readonly z.output<typeof attribute>[]): string {
  return attributes.map(({ key, value }) => `${key}=${Object.values(value).join()}`).sort().join(
    " ",
  );
}
