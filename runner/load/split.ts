/**
 * Shares of a whole number, as even as can be and exact: they add up to the whole for any number of
 * parts, the first ones taking the remainder.
 */
export function splitWhole(whole: number, parts: number): number[] {
  const least = Math.floor(whole / parts);
  const remainder = whole - least * parts;
  return Array.from({ length: parts }, (_, part) => least + (part < remainder ? 1 : 0));
}
