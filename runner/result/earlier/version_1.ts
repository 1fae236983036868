/**
 * Converts result files of version 1 (`plateau.bench/1`, `plateau.results/1`) to the shape of version 2. This renames
 * keys and the values of enumerations; the schema of version 2 then checks the result, so that the error for a broken
 * file names the place. Sentences of version 1 are kept as they are, in findings of code `text`. Pure.
 */
import { isMap } from "../../../base/yaml/json_text.ts";

/** Parsed JSON. */
type Version1Object = Record<string, unknown>;

const MEASUREMENT = "plateau.bench/1";
const RESULTS = "plateau.results/1";

export function isVersion1(data: unknown): boolean {
  return isMap(data) && (data.schema === MEASUREMENT || data.schema === RESULTS);
}

/** Converts results of version 1; anything else is returned unchanged. */
export function fromVersion1(data: unknown): unknown {
  if (!isMap(data)) return data;
  if (data.schema === MEASUREMENT) return measurement(data);
  return data.schema === RESULTS ? results(data) : data;
}

function results(data: unknown): unknown {
  const named = renamed(data, { reached: "stopping", ceilings: "peakThroughput" });
  return mapped(named, {
    schema: () => "plateau.results/2",
    stopping: (stopping) => mapped(renamed(stopping, { why: "reason" }), { reason: stopReason }),
    runs: each(measurement),
  });
}

function measurement(data: unknown): unknown {
  const named = renamed(data, { elapsed: "elapsedS", unasked: "unsolicited" });
  const judged = (part: unknown): unknown => withFindings(part, data);
  return mapped(named, {
    schema: () => "plateau.bench/2",
    load,
    timeline: (timeline) =>
      mapped(renamed(timeline, { interval: "intervalS" }), { points: each(timed) }),
    warmup: (warmup) => renamed(warmup, { steadyFrom: "steadyFromS" }),
    slowest: each((slow) =>
      mapped(renamed(slow, { due: "dueS", sent: "sentS" }), {
        outcome: valued({ answered: "completed" }),
      })
    ),
    generator: (whole) => judged(generator(whole)),
    agents: each((part) => judged(agent(part))),
    resources: each(timed),
    parts: each((part) =>
      mapped(part, {
        role: valued({ front: "gateway", behind: "upstream" }),
        points: each(timed),
      })
    ),
  });
}

function load(data: unknown): unknown {
  return mapped(renamed(data, { duration: "durationS" }), {
    phases: each((phase) => renamed(phase, { duration: "durationS" })),
  });
}

function timed(point: unknown): unknown {
  return renamed(point, { t: "endS" });
}

function generator(data: unknown): unknown {
  const named = renamed(data, {
    surroundings: "hostActivity",
    ceiling: "peakThroughput",
    floor: "baselineLatency",
  });
  return mapped(named, { ended: each((worker) => renamed(worker, { heard: "knownUntil" })) });
}

function agent(data: unknown): unknown {
  return mapped(data, { lost: (lost) => renamed(lost, { at: "atS" }) });
}

/**
 * Turns `reasons`, which are sentences, and `causes`, their codes, into findings. Two kinds of findings are computed
 * from the run instead, which has all their evidence. Version 1 has one level of trust for all findings, which becomes
 * the severity of each.
 */
function withFindings(part: unknown, run: unknown): unknown {
  if (!isMap(part) || !Array.isArray(part.reasons) || Object.hasOwn(part, "findings")) {
    return part;
  }
  const { reasons, causes, ...rest } = part;
  const severity = rest.trust === "invalid" ? "invalid" : "suspect";
  const findings = reasons.map((text, i) => {
    const cause = Array.isArray(causes) ? causes[i] ?? null : null;
    return { severity, ...findingAnew(cause, run) ?? textFinding(text, cause) };
  });
  return { ...rest, findings };
}

function textFinding(text: unknown, cause: unknown): Version1Object {
  return { code: "text", evidence: { text, cause }, advice: [] };
}

function findingAnew(cause: unknown, run: unknown): Version1Object | null {
  if (!isMap(run)) return null;
  if (cause === "unanswered" && isMap(run.requests) && isMap(run.load)) {
    const { requests: { due, unfinished, dropped }, errors, load: { timeout } } = run;
    const evidence = { due, errors, unfinished, dropped, timeout };
    return { code: "no-response", evidence, advice: ["check-target"] };
  }
  if (cause !== "unsteady" || !isMap(run.warmup)) return null;
  const { unsettled = null, driftRatio, cyclePeriodS, freezes } = run.warmup;
  const known = Object.entries({ unsettled, driftRatio, cyclePeriodS, freezes })
    .filter(([, value]) => value !== undefined);
  const advice = ["longer-run", "inspect-timeline"];
  return { code: "unsteady", evidence: Object.fromEntries(known), advice };
}

const stopReason = valued({ narrow: "precision", most: "limit", asked: "fixed" });

/** Renames keys. An old key stays if its new name exists already, and the schema then refuses it. */
function renamed(data: unknown, names: Readonly<Record<string, string>>): unknown {
  if (!isMap(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const name = Object.hasOwn(names, key) ? names[key] : key;
      return [Object.hasOwn(data, name) ? key : name, value];
    }),
  );
}

type ValueConversion = (value: unknown) => unknown;

/** Changes the values of existing keys. */
function mapped(data: unknown, changes: Readonly<Record<string, ValueConversion>>): unknown {
  if (!isMap(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      Object.hasOwn(changes, key) ? changes[key](value) : value,
    ]),
  );
}

function each(change: ValueConversion): ValueConversion {
  return (list) => Array.isArray(list) ? list.map(change) : list;
}

function valued(names: Readonly<Record<string, string>>): ValueConversion {
  return (value) => typeof value === "string" && Object.hasOwn(names, value) ? names[value] : value;
}
