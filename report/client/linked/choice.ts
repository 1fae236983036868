/// <reference lib="dom" />
/**
 * What the reader chose for the whole page: which targets are shown and in which order, which of them is marked, and
 * which base they are compared with. Everything that shows a target follows this choice. The window gets the event
 * `chosen` when the choice changes, and `marked` when another target is marked.
 */
import type { PageTarget } from "../../subjects/verdict/compared_scenarios.ts";

export let allTargets: readonly PageTarget[] = [];
export let markedTarget: string | null = null;
/** The base that the reader chose; null for the base of the experiment. */
export let chosenBase: string | null = null;
let byName: ReadonlyMap<string, string> = new Map();
const hidden = new Set<string>();
let order: readonly string[] | null = null;

export function readTargets(): void {
  allTargets = JSON.parse(document.getElementById("targets")?.textContent ?? "[]");
  byName = new Map([
    ...allTargets.flatMap(({ name, also }) => also.map((other) => [other, name] as const)),
    ...allTargets.map(({ name }) => [name, name] as const),
  ]);
}

/**
 * The target that the label of a cell (`hono · connections 50`) or a run (`static, hono, run 2`) names; null if there
 * is none.
 */
export function targetOf(label: string): string | null {
  const whole = byName.get(label);
  if (whole !== undefined) return whole;
  const parts = label.split(/ · |, /);
  return parts.map((part) => byName.get(part)).find((name) => name !== undefined) ?? null;
}

/** Whether an item with this label is shown: its target is shown, or it has no target. */
export function isShownLabel(label: string): boolean {
  const target = targetOf(label);
  return target === null || !hidden.has(target);
}

/** Names of the shown targets, in the order of the experiment. */
export function shownTargets(): readonly string[] {
  return allTargets.map(({ name }) => name).filter((name) => !hidden.has(name));
}

export function hiddenTargets(): readonly string[] {
  return allTargets.map(({ name }) => name).filter((name) => hidden.has(name));
}

/** The items whose targets are shown, in the reader's order. */
export function linkedItems<Item extends { readonly label: string }>(
  items: readonly Item[],
): readonly Item[] {
  return inOrder(items.filter(({ label }) => isShownLabel(label)), ({ label }) => label);
}

/**
 * Arranges the rows, bars and series of the whole page in the order of these labels; null restores the original order.
 */
export function orderBy(labels: readonly string[] | null): void {
  order = labels;
  announce("chosen");
}

/**
 * Sorts stably in the reader's order. An item takes the place of its own label, or else that of its target; items
 * without a place come last.
 */
export function inOrder<Item>(items: readonly Item[], labelOf: (item: Item) => string): Item[] {
  if (order === null) return [...items];
  const [places, targetPlaces] = [new Map<string, number>(), new Map<string, number>()];
  order.forEach((label, place) => {
    const target = targetOf(label) ?? label;
    if (!places.has(label)) places.set(label, place);
    if (!targetPlaces.has(target)) targetPlaces.set(target, place);
  });
  const placeOf = (label: string): number =>
    places.get(label) ?? targetPlaces.get(targetOf(label) ?? label) ?? places.size;
  return items.toSorted((a, b) => placeOf(labelOf(a)) - placeOf(labelOf(b)));
}

/** Shows only these targets; an empty list means all. */
export function showTargets(names: readonly string[]): void {
  const others = allTargets.map(({ name }) => name).filter((name) => !names.includes(name));
  hidden.clear();
  if (others.length < allTargets.length) others.forEach((name) => hidden.add(name));
  announce("chosen");
}

/** Shows or hides a target, but never hides the last one shown. */
export function toggleTarget(name: string): void {
  const shown = shownTargets();
  const others = shown.filter((other) => other !== name);
  showTargets(!shown.includes(name) ? [...shown, name] : others.length > 0 ? others : shown);
}

export function markTarget(name: string | null): void {
  if (name === markedTarget) return;
  markedTarget = name;
  announce("marked");
}

export function compareWith(name: string | null): void {
  chosenBase = name;
  announce("chosen");
}

/** The choice as parts of a URL fragment: `hide=express`, `base=hono`. */
export function choiceParts(): string[] {
  return [
    ...hiddenTargets().map((name) => `hide=${encodeURIComponent(name)}`),
    ...(chosenBase === null ? [] : [`base=${encodeURIComponent(chosenBase)}`]),
  ];
}

/** Adopts the choice that a URL fragment contains, if it contains any. */
export function followChoice(fragment: string): void {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  if (!["view", "hide", "base"].some((part) => parts.has(part))) return;
  const left = parts.getAll("hide");
  chosenBase = parts.get("base");
  showTargets(allTargets.map(({ name }) => name).filter((name) => !left.includes(name)));
}

function announce(event: "chosen" | "marked"): void {
  dispatchEvent(new Event(event));
}
