/**
 * Names that stand for two shapes, each with the reason. This list only shrinks: a name that is declared
 * once by now fails the test.
 */
export const DECLARED_TWICE: Readonly<Record<string, string>> = {};
