/** The formats of logs that can be replayed. Pure. */
import { accessLine } from "./access_line.ts";
import type { LogFormatName } from "./choice.ts";
import { type JsonKeys, jsonLine } from "./json_line.ts";
import type { ReadLogLine } from "./logged.ts";
import { w3cReader } from "./w3c_line.ts";

export interface LogFormat {
  /**
   * Makes a reader for a single log, because earlier lines of a log may decide what a line means.
   * @param keys The keys in a log of JSON lines.
   */
  readonly reader: (keys: JsonKeys) => ReadLogLine;
}

const access: LogFormat = { reader: () => accessLine };

function jsonOf(keys: JsonKeys): LogFormat {
  return { reader: () => (line) => jsonLine(line, keys) };
}

export const LOG_FORMATS = {
  common: access,
  combined: access,
  w3c: { reader: w3cReader },
  json: { reader: (keys) => (line) => jsonLine(line, keys) },
  caddy: jsonOf({ time: "ts", method: "request.method", path: "request.uri" }),
  traefik: jsonOf({ time: "StartLocal", method: "RequestMethod", path: "RequestPath" }),
  vegeta: jsonOf({ time: "timestamp", method: "method", path: "url" }),
} as const satisfies Record<LogFormatName, LogFormat>;
