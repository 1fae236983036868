/**
 * Limits how large an imported file may become when its loops and variables are expanded. All importers share these
 * limits and count before they write anything out, so that no file decides how much time or memory it costs. Pure.
 */
import { beyond, isWithin } from "../../../base/limits.ts";

/** Thrown if a text would become too long when its variables are filled in; the message gives the limit. */
export class TooLong extends Error {}

/**
 * The text with each match replaced. Throws a TooLong as soon as the result exceeds the length allowed for a whole
 * experiment.
 */
export function replaced(
  text: string,
  pattern: RegExp,
  replace: (...match: string[]) => string,
): string {
  let length = text.length;
  return text.replaceAll(pattern, (...match: string[]) => {
    const by = replace(...match);
    length += by.length;
    if (!isWithin("importedText", length)) throw new TooLong(beyond("importedText", length));
    return by;
  });
}

export class Expansion {
  #steps = 0;
  #characters = 0;
  #rounds = 0;

  /** Adds `steps`, written out `times` times, to the totals. Returns why a total is too large; null if none is. */
  whyNot(steps: readonly object[], times = 1): string | null {
    const each = steps.reduce((sum: number, step) => sum + JSON.stringify(step).length, 0);
    this.#steps += steps.length * times;
    this.#characters += each * times;
    if (!isWithin("importedSteps", this.#steps)) return beyond("importedSteps", this.#steps);
    return isWithin("importedText", this.#characters)
      ? null
      : beyond("importedText", this.#characters);
  }

  /**
   * Counts the rounds of a loop before it is unrolled, because even rounds without steps take time. Returns why all
   * rounds together are too many; null if they are not.
   */
  whyNotRounds(rounds: number): string | null {
    this.#rounds += rounds;
    return isWithin("importedRounds", this.#rounds) ? null : beyond("importedRounds", this.#rounds);
  }
}
