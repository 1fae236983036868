/** What was measured, and whether to believe it, under the title: in a word first, as colours do not reach everybody. */
import type { TrustModel } from "../trust.ts";
import { harmless, type Style, styled, type TerminalOptions, wrapped } from "./text.ts";

const STYLES: Record<TrustModel["level"], Style> = {
  valid: "green",
  suspect: "yellow",
  invalid: "red",
};

export function trustLines(
  { level, text, reasons }: TrustModel,
  options: TerminalOptions,
): string[] {
  const lines = [
    ...wrapped(`${level}: ${harmless(text)}`, options.width),
    ...reasons.flatMap((reason) => wrapped(harmless(reason), options.width - 2).map(indented)),
  ];
  return lines.map((line) => styled(line, STYLES[level], options));
}

/** Comes before every figure: they are of nothing. */
export function unansweredLines(
  { unanswered }: { readonly unanswered: string },
  options: TerminalOptions,
): string[] {
  if (unanswered === "") return [];
  return wrapped(harmless(unanswered), options.width).map((line) => styled(line, "red", options));
}

function indented(line: string): string {
  return `  ${line}`;
}
