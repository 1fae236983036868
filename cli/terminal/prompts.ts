/** The person at the terminal: answers come from standard input, questions go to standard error. */
import type { Person } from "../init/asked.ts";
import { prompt, textLines } from "../../report/writing/terminal.ts";
import { printError, terminalOptions } from "./terminal.ts";

/** A longer line is not an answer. */
const MOST_BYTES = 4_096;

export function isPersonThere(): boolean {
  return Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
}

export const person: Person = {
  show: (lines) => printError(textLines(lines, terminalOptions(Deno.stderr))),
  async answer(question): Promise<string | null> {
    printError(prompt(question));
    const chunk = new Uint8Array(MOST_BYTES);
    const length = await Deno.stdin.read(chunk); // a terminal delivers one line at a time
    return length === null ? null : new TextDecoder().decode(chunk.subarray(0, length)).trim();
  },
};
