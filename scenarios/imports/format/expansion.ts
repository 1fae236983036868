/**
 * How large a file of another tool may become when its loops are written out. One bound for all importers: each counts
 * before it writes anything out, so that no file decides how much time or memory it costs. Pure.
 */
import { beyond, isWithin } from "../../../base/limits.ts";

/** Its message is why a text can't be filled in. */
export class TooLong extends Error {}

/** The text with each match replaced. Throws a TooLong before it becomes longer than a whole experiment may be. */
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

  /** Counts `steps`, which are written out so many times. Why they can't be; null where they can. */
  whyNot(steps: readonly object[], times = 1): string | null {
    const each = steps.reduce((sum: number, step) => sum + JSON.stringify(step).length, 0);
    this.#steps += steps.length * times;
    this.#characters += each * times;
    if (!isWithin("importedSteps", this.#steps)) return beyond("importedSteps", this.#steps);
    return isWithin("importedText", this.#characters)
      ? null
      : beyond("importedText", this.#characters);
  }

  /** Counts the rounds of a loop, which may have no steps, before they are gone through. */
  whyNotRounds(rounds: number): string | null {
    this.#rounds += rounds;
    return isWithin("importedRounds", this.#rounds) ? null : beyond("importedRounds", this.#rounds);
  }
}
