/** The tools by the first word of their command line. */
import { ab } from "./ab.ts";
import { autocannon } from "./autocannon.ts";
import { curl } from "./curl.ts";
import { hey } from "./hey.ts";
import { oha } from "./oha.ts";
import type { Tool } from "./tool.ts";
import { wrk, wrk2 } from "./wrk.ts";

export const tools = { ab, autocannon, curl, hey, oha, wrk, wrk2 } satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(tools, name);
}
