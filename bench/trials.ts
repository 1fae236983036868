/**
 * Reads and writes the trials of a bench that takes longer than one sitting. They are lines of JSON in a file, to which
 * later rounds are added. The bench's figures cover all trials in the file.
 */
import { existsSync } from "node:fs";
import type * as z from "zod";

export function readTrials<T>(file: string, shape: z.ZodType<T>): T[] {
  if (!existsSync(file)) return [];
  const lines = Deno.readTextFileSync(file).split("\n").filter((line) => line !== "");
  return lines.map((line) => shape.parse(JSON.parse(line)));
}

export function keepTrial(file: string, one: unknown): void {
  Deno.writeTextFileSync(file, `${JSON.stringify(one)}\n`, { append: true });
}
