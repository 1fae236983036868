/** Relations of thresholds and claims: which of two numbers should be the larger, and the signs that people write for it. Pure. */
import * as z from "zod";
import type { Read } from "../../base/figures/figure.ts";

export const relation = z.enum(["<", "<=", ">", ">="]);
export type Relation = z.output<typeof relation>;

/** All signs that look like one, as a regular expression; `readRelation` decides which are. */
export const SIGN = "<=|>=|==|!=|=<|=>|[<>=≤≥]";

const MEANT: Readonly<Record<string, Relation>> = {
  "<": "<",
  "<=": "<=",
  "=<": "<=",
  "≤": "<=",
  ">": ">",
  ">=": ">=",
  "=>": ">=",
  "≥": ">=",
};

/**
 * @param place What it is written in, such as "a threshold".
 * @param others What may stand there as well.
 */
export function readRelation(sign: string, place: string, others = ""): Read<Relation> {
  const value = MEANT[sign];
  if (value !== undefined) return { value };
  return { problem: `Cannot use ${sign} in ${place}: write <, <=, > or >=${others}` };
}

/** `a < b` is `b > a`. */
export const TURNED: Readonly<Record<Relation, Relation>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};
