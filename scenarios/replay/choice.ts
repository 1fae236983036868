/** How a log is to be replayed. */
import type { JsonKeys } from "./json_line.ts";

/** The formats of logs; `log_line.ts` has their readers. */
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
export const MOST_SPEED = 1_000;

/** Null for what is no speed, such as `2x`. */
export function speedOf(text: string): number | null {
  const times = Number(/^(\d+(?:\.\d+)?)x$/.exec(text.trim())?.[1] ?? 0);
  return times > 0 && times <= MOST_SPEED ? times : null;
}
