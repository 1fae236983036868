/** Parses another tool's command line, and translates each of its options. */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { type Problem, UserError } from "../../../base/errors.ts";
import { closest } from "../../../base/suggest.ts";
import type { Tool, ToolOption, TranslatedLine } from "./tool.ts";
import { withScheme } from "./url.ts";
import { parse } from "shell-quote";
import { quotedOpenly, withoutSecrets } from "../../../base/secrets.ts";

interface ReadLine {
  readonly line: TranslatedLine;
  readonly problems: readonly Problem[];
}

/** @param place What the command line is called in messages. */
export function readLine(tool: Tool, given: readonly string[], place: string): ReadLine {
  const words = tool.words?.(given) ?? given;
  const byKey = new Map(
    tool.options.flatMap((option) => option.names.map((name) => [keyOf(name), option] as const)),
  );
  const args = tool.style === "go" ? words.map(withTwoHyphens) : [...words];
  const { tokens } = parseArgs({ args, options: configOf(tool), strict: false, tokens: true });
  const taken: { option: ToolOption; text: string }[] = [];
  const operands: string[] = [];
  const problems: Problem[] = [];
  const last = lastRead(tool, tokens);
  for (const token of tokens.filter(({ index }) => index <= last)) {
    if (token.kind === "positional") operands.push(withScheme(token.value));
    if (token.kind !== "option") continue;
    const option = byKey.get(token.name);
    if (option === undefined) problems.push(unknown(tool, token.rawName, place));
    else if (option.takesValue && token.value === undefined) {
      problems.push(valueless(token.rawName, place));
    } else taken.push({ option, text: token.value ?? "" });
  }
  const meanings = taken.map(({ option, text }) => option.mean(text));
  const line = {
    operands: [...operands, ...meanings.flatMap(({ operand = [] }) => operand).map(withScheme)],
    flags: meanings.flatMap(({ flags = [] }) => flags),
    notes: [...meanings.flatMap(({ note = [] }) => note), ...unread(words.slice(last + 1))],
    refused: meanings.flatMap(({ refused = [] }) => refused),
    options: new Set(taken.flatMap(({ option }) => option.names)),
    own: [],
  };
  return { line, problems };
}

function configOf({ options }: Tool): ParseArgsOptionsConfig {
  return Object.fromEntries(
    options.flatMap(({ names, takesValue }) =>
      names.map((name) => [keyOf(name), {
        type: takesValue ? "string" : "boolean",
        ...(name.length === 1 ? { short: name } : {}),
      }])
    ),
  );
}

/** `parseArgs` identifies options by their long names, so an option of one letter needs one, too. */
function keyOf(name: string): string {
  return name.length === 1 ? `letter ${name}` : name;
}

/**
 * The index of the word at which options end. A Go program reads no options after the first word that is not an option,
 * which is the URL; in getopt's syntax, options may also follow the URL.
 */
function lastRead(
  { style }: Tool,
  tokens: readonly { readonly kind: string; readonly index: number }[],
): number {
  const first = tokens.find(({ kind }) => kind === "positional");
  return style === "go" && first !== undefined ? first.index : Infinity;
}

function unread(words: readonly string[]): string[] {
  return words.length === 0 ? [] : [
    `Plateau reports what both tools ignore, because it comes after the URL: ${words.join(" ")}`,
  ];
}

/** Converts an option in Go's syntax, `-name`, `-n=1` or `--n 1`, to getopt's syntax. */
function withTwoHyphens(word: string): string {
  const [, letter, text] = /^--?(\w)(?:=(.*))?$/s.exec(word) ?? [];
  if (letter !== undefined) return `-${letter}${text ?? ""}`;
  return /^-[a-z][\w-]+/i.test(word) ? `-${word}` : word;
}

function unknown({ options }: Tool, name: string, place: string): Problem {
  const names = options.flatMap(({ names }) =>
    names.map((name) => name.length === 1 ? `-${name}` : `--${name}`)
  );
  const meant = closest(name, names.filter((known) => known.length > 2));
  return {
    place: `${place} ${withoutSecrets(name)}`,
    message: "Cannot understand this option of the tool",
    ...(meant === null ? {} : { fix: `did you mean ${meant}?` }),
  };
}

function valueless(name: string, place: string): Problem {
  return {
    place: `${place} ${withoutSecrets(name)}`,
    message: "Cannot use this option without a value",
  };
}

/**
 * Splits a command line as a shell does, except that an unquoted ? or * in a URL, and every $, are taken literally. A
 * pair of quotes with nothing between them is a word. Throws a UserError at an operator, such as an unquoted &.
 */
export function shellWords(commandLine: string, place: string): string[] {
  return parse(plainlyQuoted(commandLine)).flatMap((part) => {
    if (typeof part === "string") return [part];
    if ("pattern" in part) return [part.pattern];
    if ("comment" in part) return [];
    const message = `Cannot use ${quotedOpenly(part.op)} here: a shell would end the command there`;
    throw new UserError([{ place, message, fix: "put the URL into its own quotes" }]);
  });
}

const TOKENS = /'[^']*'|\$'((?:\\.|[^'\\])*)'|"(?:\\.|[^"\\])*"|\\\r?\n|\\.|\$/gs;

/**
 * Joins lines that end in a backslash, escapes $, and replaces bash's `$'…'` with plain quotes. Browsers use `$'…'`
 * when they copy a request as a command.
 */
function plainlyQuoted(commandLine: string): string {
  return commandLine.trim().replaceAll(TOKENS, (token, escaped?: string) => {
    if (/^\\\r?\n$/.test(token)) return " ";
    if (escaped === undefined) return token.startsWith("'") ? token : withoutVariables(token);
    return `'${unescaped(escaped).replaceAll("'", `'\\''`)}'`;
  });
}

function withoutVariables(token: string): string {
  return token.replaceAll(/\\.|\$/gs, (found) => found === "$" ? "\\$" : found);
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", a: "\x07", b: "\b" };

/** Decodes escape sequences (Bash Reference Manual, "ANSI-C Quoting"). */
function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:u([\da-f]{1,4})|x([\da-f]{1,2})|(.))/gis,
    (_, unicode?: string, hex?: string, other?: string) => {
      const code = unicode ?? hex;
      return code === undefined
        ? ESCAPES[other ?? ""] ?? other ?? ""
        : String.fromCharCode(parseInt(code, 16));
    },
  );
}
