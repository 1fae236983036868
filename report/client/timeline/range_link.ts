/**
 * The link that stores the range of time selected in a scenario, and hidden targets:
 * `#view=e1-s2&range=2-5.5&hide=express`.
 */
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import { choiceParts } from "../linked/choice.ts";

/** The fragment of a link to a section, including `#`. @param range Null: the whole run. */
export function linkTo(section: string, range: TimeRange | null): string {
  const selected = range === null ? [] : [`range=${range.fromS}-${range.toS}`];
  return `#${[`view=${section}`, ...selected, ...choiceParts()].join("&")}`;
}

/** The section and range in a fragment; null if it is no such link. An invalid range means the whole run. */
export function readLink(
  fragment: string,
): { readonly section: string; readonly range: TimeRange | null } | null {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const section = parts.get("view");
  if (section === null) return null;
  const [, from, to] = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(parts.get("range") ?? "") ?? [];
  const [fromS, toS] = [from, to].map(Number);
  return { section, range: fromS < toS ? { fromS, toS } : null };
}
