/** The imports of a k6 script, and which of them a call uses. */
import type * as js from "acorn";

/**
 * What each imported name stands for, such as `http`, `http.get` or `k6.check`, or a module that Plateau does not know.
 */
export function importedNames({ body }: js.Program): ReadonlyMap<string, string> {
  const imported = new Map<string, string>();
  for (const node of body) {
    if (node.type !== "ImportDeclaration") continue;
    const from = String(node.source.value);
    for (const specifier of node.specifiers) {
      const named = specifier.type === "ImportSpecifier" && "name" in specifier.imported
        ? specifier.imported.name
        : null;
      const known = from === "k6/http" ? "http" : from === "k6" ? "k6" : from;
      imported.set(specifier.local.name, named === null ? known : `${known}.${named}`);
    }
  }
  return imported;
}

/**
 * The imported function that is called, such as `k6.check`, even if the script gives it another name; "console" for a
 * method of the console; null for any other call.
 */
export function calledIn(
  { callee }: js.CallExpression,
  imported: ReadonlyMap<string, string>,
): string | null {
  if (callee.type === "Identifier") return imported.get(callee.name) ?? null;
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return null;
  const { object: { name }, property } = callee;
  if (name === "console") return "console";
  const from = imported.get(name);
  const isWhole = from === "http" || from === "k6" || from === "http.default";
  if (!isWhole || property.type !== "Identifier") return null;
  return `${from === "k6" ? "k6" : "http"}.${property.name}`;
}
