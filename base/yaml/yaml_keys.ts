/** Keys that stand twice in a map of a YAML text. */
import { type Document, isScalar, visit } from "yaml";

/**
 * Offsets of all but the first. The reader's own check compares each key with every other one, which
 * takes minutes in a map of 100,000 keys.
 */
export function repeatedKeys(document: Document.Parsed): number[] {
  const repeated: number[] = [];
  visit(document, {
    Map(_, { items }): void {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) repeated.push(key.range?.[0] ?? 0);
        known.add(key.value);
      }
    },
  });
  return repeated.sort((a, b) => a - b);
}
