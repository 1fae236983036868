/** The person at the terminal. Questions go to standard error, and answers come from standard input. */
import type { Person } from "../init/asked.ts";
import { prompt, textLines } from "../../report/writing/terminal.ts";
import { printError, terminalOptions } from "./terminal.ts";

/** Longest line that is read as an answer, in bytes. */
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
