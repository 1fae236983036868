/**
 * How large a file of another tool may become when its loops are written out. One bound for all importers: each counts
 * before it writes anything out, so that no file decides how much time or memory it costs. Pure.
 */
import { beyond, isWithin } from "../../../base/limits.ts";

/** An error whose message says why a text can't be filled in. */
export class TooLong extends Error {}

/** The text with each match replaced. Throws a TooLong before it exceeds the size of a whole experiment. */
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

  /** Counts `steps` as often as they are written out. Returns why that is too much; null if it is not. */
  whyNot(steps: readonly object[], times = 1): string | null {
    const each = steps.reduce((sum: number, step) => sum + JSON.stringify(step).length, 0);
    this.#steps += steps.length * times;
    this.#characters += each * times;
    if (!isWithin("importedSteps", this.#steps)) return beyond("importedSteps", this.#steps);
    return isWithin("importedText", this.#characters)
      ? null
      : beyond("importedText", this.#characters);
  }

  /** Counts the rounds of a loop, which may be empty, before they are walked. */
  whyNotRounds(rounds: number): string | null {
    this.#rounds += rounds;
    return isWithin("importedRounds", this.#rounds) ? null : beyond("importedRounds", this.#rounds);
  }
}
