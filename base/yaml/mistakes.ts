/**
 * Explains mistakes in a YAML text to its author: the YAML library's own messages are right, but do not mention quotes,
 * which are missing in most such texts. No value is shown, because it may be secret. Pure.
 */

/** A mistake as reported by the YAML library. */
interface Told {
  readonly code: string;
  readonly message: string;
  /** Offset in the text. */
  readonly offset: number;
}

/** A word that contains one of Plateau's placeholders: `{port}`, `{{ id }}`, `${size}`. */
const PLACEHOLDER =
  /[^\s,"'[\]{}$]*(\$?\{\{?\s*[\w.$-]+\s*\}?\})(?:[^\s,"'[\]{}]|\{+\s*[\w.$-]+\s*\}+)*/g;

/** Only the first mistake of each line, because one mistake causes others after it. */
export function firstOfEachLine<T extends Pick<Told, "offset">>(
  text: string,
  mistakes: readonly T[],
): T[] {
  const lineOf = ({ offset }: T): number => text.lastIndexOf("\n", offset - 1);
  return mistakes.filter((mistake, at) =>
    mistakes.findIndex((other) => lineOf(other) === lineOf(mistake)) === at
  );
}

/** Explains a mistake, and how to correct it. */
export function plainWords(text: string, told: Told): string {
  const start = text.lastIndexOf("\n", told.offset - 1) + 1;
  const line = text.slice(start).split(/\r?\n/, 1)[0];
  return placeholderWords(line, told, told.offset - start) ??
    colonWords(line, told, told.offset - start) ?? WORDS[told.code]?.(text, told) ?? told.message;
}

const OF_BRACES = ["NON_STRING_KEY", "MISSING_CHAR", "UNEXPECTED_TOKEN", "BLOCK_IN_FLOW"];

function placeholderWords(line: string, { code }: Told, column: number): string | null {
  if (!OF_BRACES.includes(code)) return null;
  const found = [...line.matchAll(PLACEHOLDER)].find(({ 0: word, index }) =>
    index <= column && column <= index + word.length
  );
  if (found === undefined) return null;
  return `without quotes, a brace begins a map: put the whole text with ${found[1]} into quotes`;
}

function colonWords(line: string, { code }: Told, column: number): string | null {
  const rest = line.slice(column);
  const [, key = ""] = /([\w.-]+):\s*$/.exec(line.slice(0, column)) ?? [];
  if (["BLOCK_AS_IMPLICIT_KEY", "BLOCK_IN_FLOW"].includes(code) && /:(?:\s|$)/.test(rest)) {
    const fix = key === "" ? "" : `, ${key}: "…"`;
    return `a colon and a space begin a value, even within a text: put the text into quotes${fix}`;
  }
  const [, squeezed] = /^([\w.-]+):\S/.exec(rest) ?? [];
  if (code !== "MULTILINE_IMPLICIT_KEY" || squeezed === undefined) return null;
  return `a space is missing after the colon of "${squeezed}"`;
}

/** Plateau's explanation of a mistake, by the YAML library's code. Null: the library's own words. */
const WORDS: Readonly<Record<string, (text: string, told: Told) => string | null>> = {
  BLOCK_AS_IMPLICIT_KEY: () => "the line below is indented, as if this value went on there",
  TAB_AS_INDENT: () => "a tab indents this line: use spaces",
  BAD_INDENT: (_, { message }) =>
    message.startsWith("All mapping items")
      ? "this line is not indented like the entries beside it, which all begin in the same column"
      : unclosed(message),
  MISSING_CHAR: (text, { message, offset }) => {
    const [, quote] = /^Missing closing (['"])/.exec(message) ?? [];
    if (quote !== undefined) return `a text that begins with ${quote} has no closing ${quote}`;
    return unclosed(message) ??
      (/^Missing , /.test(message)
        ? `a comma or quotes are missing before ${JSON.stringify(text.charAt(offset))}`
        : null);
  },
  UNEXPECTED_TOKEN: (_, { message }) =>
    message.endsWith(" at node end")
      ? "the value has already ended here: a comma, or quotes around the whole value, may be missing"
      : null,
  BAD_SCALAR_START: (text, { offset }) =>
    `a text that begins with ${text.charAt(offset)} needs quotes`,
};

function unclosed(message: string): string | null {
  const [, kind, end] =
    /^Flow (map|sequence) in block collection .* end with a ([\]}])$/.exec(message) ??
      [];
  if (end === undefined) return null;
  return `a ${kind === "map" ? "map" : "list"} that begins with ${
    end === "}" ? "{" : "["
  } has no closing ${end}`;
}
