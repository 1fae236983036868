/** What was measured, and whether to believe it, under the title: in a word first, as colours do not reach everybody. */
import type { TrustModel } from "../model/findings/trust.ts";
import type { Line, Style, TerminalOptions } from "../writing/terminal.ts";
import { wrapped } from "../writing/columns.ts";
import { lineOf, paragraph } from "./line.ts";

const STYLES: Record<TrustModel["level"], Style> = {
  valid: "green",
  suspect: "yellow",
  invalid: "red",
};

export function trustLines(
  { level, text, reasons }: TrustModel,
  { width }: TerminalOptions,
): Line[] {
  const style = STYLES[level];
  return [
    ...paragraph(`${level}: ${text}`, width, { style }),
    ...reasons.flatMap((reason) =>
      wrapped(reason, width - 2).map((line) => lineOf(`  ${line}`, style))
    ),
  ];
}

/** Comes before every figure: they are of nothing. */
export function unansweredLines(
  { unanswered }: { readonly unanswered: string },
  { width }: TerminalOptions,
): Line[] {
  return unanswered === "" ? [] : paragraph(unanswered, width, { style: "red" });
}
