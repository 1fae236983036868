/** The formats of other tools. */
import { artillery } from "./artillery.ts";
import { har } from "./har.ts";
import type { Format } from "./imported.ts";

export const formats = { artillery, har } satisfies Record<string, Format>;

/** The format of `data`; null for none of them. */
export function formatOf(data: unknown): Format | null {
  return Object.values(formats).find(({ recognise }) => recognise(data)) ?? null;
}
