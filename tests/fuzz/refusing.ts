/** Readers that refuse by an Error of their own, whose callers make a sentence of it. */
import * as z from "zod";

/** What the reader gives; null where it refuses. An error of another kind is none that it meant. */
export function refusing<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    const isMeant = error instanceof Error && error.constructor === Error;
    if (isMeant || error instanceof z.ZodError || error instanceof SyntaxError) return null;
    throw error;
  }
}
