/**
 * A few words that are recognised octet by octet, so that they may be split anywhere and nothing is
 * copied: a trie, walked by `state = next[state << 7 | octet]` with octets in lower case.
 */

/** State from which no word is reached any more; it leads only to itself. */
export const NO_WORD = 0;
/** State before the first octet. */
export const WORD_START = 1;

export interface Words {
  /** The state after `state` and an octet below 128, at `state << 7 | octet`. */
  readonly next: Uint8Array;
  /** By state: number of the word that ends there, counted from 1; 0 for none. */
  readonly ends: Uint8Array;
}

/** At most 254 letters in all. */
export function compileWords(words: readonly string[]): Words {
  const states = words.join("").length + 2;
  const next = new Uint8Array(states << 7);
  const ends = new Uint8Array(states);
  let last = WORD_START;
  for (const [index, word] of words.entries()) {
    let state = WORD_START;
    for (const letter of word) {
      const edge = state << 7 | letter.charCodeAt(0);
      if (next[edge] === NO_WORD) next[edge] = ++last;
      state = next[edge];
    }
    ends[state] = index + 1;
  }
  return { next, ends };
}
