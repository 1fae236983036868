/** The subject that a new experiment file measures. */
import type { Json } from "../../base/yaml/json_text.ts";

export interface Subject {
  /** Name of the target, and of the experiment. */
  readonly name: string;
  /** Description of the choice for the user: where it was found, and what it starts. */
  readonly about: string;
  /** The target's keys in the experiment file. */
  readonly target: Readonly<Record<string, Json>>;
  /** Path and query of the request. */
  readonly path: string;
  /** What must be done or known before the experiment runs, one sentence each. */
  readonly notes: readonly string[];
}

/** Makes a valid name of a target or folder: `@shop/api` → `shop-api`. */
export function nameOf(text: string, otherwise = "server"): string {
  return text.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 60) ||
    otherwise;
}
