/** What a new experiment file measures. */
import type { Json } from "../../base/yaml/json_text.ts";

export interface Subject {
  /** Name of the target and of the experiment. */
  readonly name: string;
  /** Tells the user what this choice is: where the server was found, or what starts it. */
  readonly about: string;
  /** The keys of the target in the experiment file. */
  readonly target: Readonly<Record<string, Json>>;
  /** Path and query of the request. */
  readonly path: string;
  /** Sentences about what must be done or known before the experiment runs. */
  readonly notes: readonly string[];
}

/** Turns a text into a valid name of a target or folder: `@shop/api` → `shop-api`. */
export function nameOf(text: string, otherwise = "server"): string {
  return text.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 60) ||
    otherwise;
}
