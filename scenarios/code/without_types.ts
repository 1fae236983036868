/** Modules in TypeScript as the JavaScript that they are without their types. */
import { transformSync } from "amaro";

/** Blanks stand for its types, so that lines and columns stay. Throws an Error where it is not TypeScript. @param module Its name. */
export function withoutTypes(text: string, module: string): string {
  try {
    return transformSync(text, { mode: "strip-only", filename: module }).code;
  } catch (error) {
    // The stripper throws what has a message and is not an Error.
    throw new Error(String(Reflect.get(Object(error), "message") ?? error));
  }
}
