/** One line of a log that is replayed: when its request came, and what it was. Pure; one member for each format. */
import { METHODS } from "../../base/http/request.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** What a line says of its request. */
export interface LoggedRequest {
  /** Microseconds since the epoch. */
  readonly atUs: number;
  /** In capitals. */
  readonly method: string;
  /** With its query; never a host. */
  readonly path: string;
}

/** Reads one line; throws an Error with what is wrong with it. */
export type ReadLogLine = (line: string) => LoggedRequest;

/** Names of the keys in a log of JSON lines. */
export interface JsonKeys {
  readonly time: string;
  readonly method: string;
  readonly path: string;
}

export interface LogFormat {
  /** Its moments are whole seconds, so that those within a second are unknown. */
  readonly isWholeSeconds: boolean;
  readonly reader: (keys: JsonKeys) => ReadLogLine;
}

const KNOWN_METHODS = new Set(METHODS.map((method) => method.toUpperCase()));
const ACCESS =
  /^\S+ \S+ .*?\[(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\] "([^"\\]*)"/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function accessLine(line: string): LoggedRequest {
  const found = ACCESS.exec(line);
  if (found === null) throw new Error('it has no [time] "request" of the common log format');
  const [, day, monthName, year, time, hours, minutes, request] = found;
  const month = String(MONTHS.indexOf(monthName) + 1).padStart(2, "0");
  const atUs = momentUs(`${year}-${month}-${day}T${time}${hours}:${minutes}`);
  const [method, target = ""] = request.split(" ");
  return requestOf(atUs, method, target);
}

function jsonLine(keys: JsonKeys): ReadLogLine {
  return (line) => {
    const data: unknown = Object(JSON.parse(line));
    const field = (key: string): unknown => Reflect.get(Object(data), key);
    const [method, target] = [field(keys.method), field(keys.path)];
    if (typeof method !== "string") throw new Error(`it has no method in "${keys.method}"`);
    if (typeof target !== "string") throw new Error(`it has no path in "${keys.path}"`);
    return requestOf(momentUs(field(keys.time)), method, target);
  };
}

const RFC3339 = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)$/i;

/** RFC 3339 with all its digits, or seconds since the epoch. Date.parse alone would drop microseconds. */
function momentUs(time: unknown): number {
  if (typeof time === "number" && Number.isFinite(time)) return time * 1e6;
  const [, whole, digits = "0", zone] = RFC3339.exec(String(time)) ?? [];
  const ms = whole === undefined ? NaN : Date.parse(`${whole.replace(" ", "T")}${zone}`);
  if (Number.isNaN(ms)) throw new Error(`Cannot read ${quotedOpenly(time)} as a moment`);
  return ms * 1_000 + Number(`0.${digits}`) * 1e6;
}

/** Of an absolute URL only path and query are kept: load goes to the server that the user named. */
function requestOf(atUs: number, method: string, target: string): LoggedRequest {
  if (!KNOWN_METHODS.has(method)) throw new Error(`${JSON.stringify(method)} is no method`);
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  const path = url === null ? target : url.pathname + url.search;
  if (/^\/[\x21-\x7e]*$/.test(path)) return { atUs, method, path: path.replace(/#.*$/, "") };
  throw new Error(`${JSON.stringify(target)} is no path`);
}

const VEGETA: JsonKeys = { time: "timestamp", method: "method", path: "url" };
const access: LogFormat = { isWholeSeconds: true, reader: () => accessLine };

export const LOG_FORMATS = {
  common: access,
  combined: access,
  json: { isWholeSeconds: false, reader: jsonLine },
  vegeta: { isWholeSeconds: false, reader: () => jsonLine(VEGETA) },
} as const satisfies Record<string, LogFormat>;
