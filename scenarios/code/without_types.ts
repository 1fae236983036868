/** Turns TypeScript into JavaScript by removing the types. */
import { transformSync } from "amaro";

/**
 * Replaces the types in a module with blanks, so that lines and columns stay the same. Throws an Error with line and
 * column if the text is not valid TypeScript, or uses syntax that is more than types, such as an enum.
 * @param module The name of the module, for errors.
 */
export function withoutTypes(text: string, module: string): string {
  try {
    return transformSync(text, { mode: "strip-only", filename: module }).code;
  } catch (error) {
    // The type stripper throws an object that is not an Error, with a message, a line and a column.
    const { message, startLine, startColumn } = Object(error);
    if (typeof startLine !== "number") throw error;
    const why = `${message}`.replace(
      " in strip-only mode",
      ": Plateau only removes types, so write plain JavaScript instead",
    );
    throw new Error(`${why} (${module}:${startLine}:${startColumn + 1})`);
  }
}
