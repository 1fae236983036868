/** Turns modules in TypeScript into JavaScript by removing their types. */
import { transformSync } from "amaro";

/**
 * The module with blanks in place of its types, so that lines and columns stay the same. Throws an Error with the place
 * if it is not valid TypeScript.
 * @param module Name of the module.
 */
export function withoutTypes(text: string, module: string): string {
  try {
    return transformSync(text, { mode: "strip-only", filename: module }).code;
  } catch (error) {
    // The stripper throws an object with a message and a place, which is not an Error.
    const { message, startLine, startColumn } = Object(error);
    if (typeof startLine !== "number") throw error;
    const why = `${message}`.replace(
      " in strip-only mode",
      ": Plateau only removes types, so write plain JavaScript instead",
    );
    throw new Error(`${why} (${module}:${startLine}:${startColumn + 1})`);
  }
}
