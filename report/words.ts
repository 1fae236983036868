/** Pieces of sentences. */
import { formatCount } from "./units.ts";

/** `10, 50 or 200`. */
export function listed(texts: readonly string[]): string {
  return texts.length < 2
    ? texts.join("")
    : `${texts.slice(0, -1).join(", ")} or ${texts[texts.length - 1]}`;
}

export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Each once, in the order of their first. */
export function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
