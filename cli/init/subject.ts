/** What a new experiment file measures. */
import type { Json } from "../../base/yaml/json_text.ts";

export interface Subject {
  /** Name of the target, and of the experiment. */
  readonly name: string;
  /** The choice as the user reads it: where it comes from, and what it starts. */
  readonly about: string;
  /** The lines of the target in the experiment file. */
  readonly target: Readonly<Record<string, Json>>;
  /** Path and query of the request. */
  readonly path: string;
  /** What must be done or known before it runs, one sentence each. */
  readonly notes: readonly string[];
}

/** A name that a target or folder may have: `@shop/api` → `shop-api`. */
export function nameOf(text: string, otherwise = "server"): string {
  return text.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 60) ||
    otherwise;
}
