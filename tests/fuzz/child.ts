/**
 * Feeds one decoder input after input, in a process that may be killed: `child.ts DECODER SEED PROGRESS`.
 * Before each input its number is written to the file PROGRESS; each finding is a line of JSON.
 */
import { ExpectedError } from "../../base/errors.ts";
import type { Decoder } from "./decoder.ts";
import { inputOf } from "./mutate.ts";
import { decoders } from "./registry.ts";

export interface FoundLine {
  readonly seed: number;
  readonly why: string;
}

/** Why an outcome is none that a decoder may have; null when it is one. */
export async function findingIn({ decode }: Decoder, input: string): Promise<string | null> {
  try {
    await decode(input);
  } catch (error) {
    if (error instanceof ExpectedError) return null;
    return error instanceof Error ? `${error.stack}` : String(error);
  }
  return Object.hasOwn(Object.prototype, "injected") ? "it changed the prototype" : null;
}

async function main([name, first, progressPath]: readonly string[]): Promise<void> {
  const decoder = await decoders[name]();
  using progress = Deno.openSync(progressPath, { write: true, create: true });
  const number = new Float64Array(1);
  const bytes = new Uint8Array(number.buffer);
  for (let seed = Number(first);; seed++) {
    number[0] = seed;
    progress.seekSync(0, Deno.SeekMode.Start);
    progress.writeSync(bytes);
    // What is freed only between tasks is no leak.
    if (seed % 100 === 0) await new Promise((resolve) => setTimeout(resolve));
    const why = await findingIn(decoder, inputOf(decoder.seeds, seed));
    if (why === null) continue;
    await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify({ seed, why })}\n`));
  }
}

if (import.meta.main) await main(Deno.args);
