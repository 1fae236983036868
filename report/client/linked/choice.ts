/// <reference lib="dom" />
/**
 * What the reader chose for the whole page: which targets are shown, which one is marked, and with which base they are
 * compared. There is one such choice; whatever shows a target follows it. The window gets the event `chosen` when the
 * choice changes, and `marked` when another target is marked.
 */
import type { PageTarget } from "../../subjects/verdict/compared_scenarios.ts";

/** The script element with the page's targets. */
const DATA = "targets";

let targets: readonly PageTarget[] = [];
let byName: ReadonlyMap<string, string> = new Map();
const hidden = new Set<string>();
let order: readonly string[] | null = null;
let marked: string | null = null;
let base: string | null = null;

export function readTargets(): void {
  targets = JSON.parse(document.getElementById(DATA)?.textContent ?? "[]");
  byName = new Map([
    ...targets.flatMap(({ name, also }) => also.map((other) => [other, name] as const)),
    ...targets.map(({ name }) => [name, name] as const),
  ]);
}

export function allTargets(): readonly PageTarget[] {
  return targets;
}

/**
 * The target in the label of a cell (`hono · connections 50`) or a run (`static, hono, run 2`); null if the label
 * belongs to none.
 */
export function targetOf(label: string): string | null {
  const whole = byName.get(label);
  if (whole !== undefined) return whole;
  const parts = label.split(/ · |, /);
  return parts.map((part) => byName.get(part)).find((name) => name !== undefined) ?? null;
}

/** Whether an item with this label is shown: it belongs to a shown target, or to none. */
export function isShownLabel(label: string): boolean {
  const target = targetOf(label);
  return target === null || !hidden.has(target);
}

/** Names of the shown targets, in the order of the experiment. */
export function shownTargets(): readonly string[] {
  return targets.map(({ name }) => name).filter((name) => !hidden.has(name));
}

export function hiddenTargets(): readonly string[] {
  return targets.map(({ name }) => name).filter((name) => hidden.has(name));
}

/** Shown items, in the reader's order. */
export function linkedItems<Item extends { readonly label: string }>(
  items: readonly Item[],
): readonly Item[] {
  return inOrder(items.filter(({ label }) => isShownLabel(label)), ({ label }) => label);
}

/** Arranges rows, bars and series of the whole page in the order of these labels; null: in the original order. */
export function orderBy(labels: readonly string[] | null): void {
  order = labels;
  announce("chosen");
}

/** Stable sort: a cell has a place of its own, or that of its target; items without a place come last. */
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
  const kept = targets.filter(({ name }) => names.includes(name));
  hidden.clear();
  if (kept.length > 0) {
    for (const { name } of targets) if (!names.includes(name)) hidden.add(name);
  }
  announce("chosen");
}

/** Shows or hides a target; the last shown one stays. */
export function toggleTarget(name: string): void {
  const shown = shownTargets();
  showTargets(
    !shown.includes(name)
      ? [...shown, name]
      : shown.length > 1
      ? shown.filter((other) => other !== name)
      : shown,
  );
}

export function markedTarget(): string | null {
  return marked;
}

export function markTarget(name: string | null): void {
  if (name === marked) return;
  marked = name;
  announce("marked");
}

/** The base that the reader chose; null: the experiment's own. */
export function chosenBase(): string | null {
  return base;
}

export function compareWith(name: string | null): void {
  base = name;
  announce("chosen");
}

/** The choice as parts of an address: `hide=express&base=hono`. */
export function choiceParts(): string[] {
  return [
    ...hiddenTargets().map((name) => `hide=${encodeURIComponent(name)}`),
    ...(base === null ? [] : [`base=${encodeURIComponent(base)}`]),
  ];
}

/** Takes over the choice in an address, if it has one. */
export function followChoice(fragment: string): void {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const isChoice = ["view", "hide", "base"].some((part) => parts.has(part));
  if (!isChoice) return;
  const left = parts.getAll("hide");
  const name = parts.get("base");
  const shown = targets.map((target) => target.name).filter((target) => !left.includes(target));
  base = name;
  showTargets(shown);
}

function announce(event: "chosen" | "marked"): void {
  dispatchEvent(new Event(event));
}
