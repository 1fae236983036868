/** The options of a replay: the format of the log, the speed, and which requests to send. */
import * as z from "zod";
import { quotedOpenly } from "../../base/secrets.ts";
import type { JsonKeys } from "./json_line.ts";

/** Names of the formats of logs; `log_line.ts` has a reader for each. */
export const LOG_FORMAT_NAMES = [
  ...["common", "combined", "w3c", "json", "caddy", "traefik", "vegeta"] as const,
];

export type LogFormatName = (typeof LOG_FORMAT_NAMES)[number];

export interface ReplayChoice {
  readonly format: LogFormatName;
  readonly keys: JsonKeys;
  readonly speed: number;
  readonly writes: boolean;
}

export const DEFAULT_KEYS: JsonKeys = { time: "time", method: "method", path: "path" };
const MOST_SPEED = 1_000;

/** Parses a speed such as `2x` to a number. */
export const speed = z.string().transform((text, context) => {
  const times = Number(/^(\d+(?:\.\d+)?)x$/.exec(text.trim())?.[1] ?? 0);
  if (times > 0 && times <= MOST_SPEED) return times;
  context.addIssue(
    `Cannot read ${quotedOpenly(text)} as a speed: write 2x or 0.5x, up to ${MOST_SPEED}x`,
  );
  return z.NEVER;
});
