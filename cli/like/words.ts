/** The words of a command line, as a shell has them. */
import { parse } from "shell-quote";
import { UserError } from "../../base/errors.ts";

/** Unquoted ? and * of a URL are no patterns here, and $ stands for itself. An empty word is one too. */
export function wordsOf(commandLine: string, place: string): string[] {
  return parse(plainlyQuoted(commandLine)).flatMap((part) => {
    if (typeof part === "string") return [part];
    if ("pattern" in part) return [part.pattern];
    if ("comment" in part) return [];
    const message = `Cannot take "${part.op}" over: it would end the command in a shell`;
    throw new UserError([{ place, message, fix: "put the URL into quotes of its own" }]);
  });
}

const TOKENS = /'[^']*'|\$'((?:\\.|[^'\\])*)'|"(?:\\.|[^"\\])*"|\\\r?\n|\\.|\$/gs;

/** Lines that are continued become one, bash's `$'…'`, which browsers copy, usual quotes, and $ is escaped. */
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

/** Bash's manual, "ANSI-C Quoting". */
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
