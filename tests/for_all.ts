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
