/** The subjects of a report, in the order of the page. A new one is a file and a line here. */
import { type Group, group, prunedAll } from "../blocks.ts";
import { claims } from "./claims.ts";
import { method } from "./method/subject.ts";
import { missing } from "./missing.ts";
import { order } from "./order.ts";
import { published } from "./published.ts";
import type { ReportContext, Subject } from "./subject.ts";
import { thresholds } from "./thresholds.ts";

export const SUBJECTS: readonly Subject<ReportContext>[] = [
  thresholds,
  claims,
  order,
  published,
  missing,
  method,
];

/** Its group; null where it has nothing to say. */
export function groupOf<Context>(
  { id, title, depth, build }: Subject<Context>,
  context: Context,
): Group | null {
  const blocks = prunedAll(build(context));
  return blocks.length === 0 ? null : group(title, blocks, { id, depth });
}
