/** Laws that hold of whatever is drawn. */
import fc from "fast-check";

/** @param law Of one value of each of `arbitraries`; broken where it throws or returns false. */
export function forAll<T extends [unknown, ...unknown[]]>(
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  law: (...drawn: T) => boolean | void,
  parameters?: fc.Parameters<T>,
): void {
  fc.assert(fc.property<T>(...arbitraries, law), parameters);
}

const SURROGATES = { from: 0xd800, count: 0x800 };

/**
 * Any character of Unicode, for `fc.string()`. It draws from the same characters as the unit "binary" of fast-check, which
 * first lists all 1.1 million of them.
 */
export const anySign: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map(
    (index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
    (sign) => {
      const [first, ...others] = typeof sign === "string" ? sign : "";
      const code = first?.codePointAt(0);
      if (code === undefined || others.length > 0) throw new Error("Not a single sign");
      return code < SURROGATES.from ? code : code - SURROGATES.count;
    },
  );
