/**
 * Implements `plateau bench --like 'wrk -c 100 …'`. Translates the command line of another tool to flags of `bench`,
 * and notes options that have no counterpart.
 */
import { type Problem, UserError } from "../../../base/errors.ts";
import type { Peer } from "../../../base/load_options.ts";
import { fieldProblemInHttp2 } from "../../../base/http/request.ts";
import { durationText, parseRatePerSec } from "../../../base/quantity.ts";
import { closest } from "../../../base/suggest.ts";
import { readLine, shellWords } from "./options.ts";
import {
  ENDS,
  FALLBACK_FIELD,
  hasHttp2,
  LAST_FIELD,
  lastOf,
  type Measured,
  QUERY,
  RATE_OF_EACH,
  type Tool,
  type TranslatedLine,
  withFlags,
  without,
} from "./tool.ts";
import { urlParts } from "./url.ts";
import { ab } from "./ab.ts";
import { autocannon } from "./autocannon.ts";
import { curl } from "./curl.ts";
import { hey } from "./hey.ts";
import { oha } from "./oha.ts";
import { wrk, wrk2 } from "./wrk.ts";
import { quotedOpenly } from "../../../base/secrets.ts";

const PLACE = "--like";

interface Translation {
  readonly name: ToolName;
  readonly line: TranslatedLine;
}

/**
 * Adds the flags that `--like` stands for to the arguments of `bench`. They come first, then `--like`, and then the
 * explicit arguments, which override them.
 */
export function withTranslated(args: readonly string[]): readonly string[] {
  const at = placeIn(args);
  if (at < 0) return args;
  const isApart = args[at] === PLACE;
  const text = isApart ? args[at + 1] : args[at].slice(PLACE.length + 1);
  if (text === undefined) return args;
  const end = at + (isApart ? 2 : 1);
  const others = [...args.slice(0, at), ...args.slice(end)];
  const { name, line } = translated(text, others);
  const { operands, own, refused } = line;
  if (refused.length > 0) throw new UserError(refused.map((what) => otherRequests(name, what)));
  const flags = line.flags.filter(([name]) => !own.includes(name));
  const isTurned = own.includes("-n") && !own.includes("-d") && lastOf(line, "-n") === undefined;
  return [
    ...operands,
    ...flags.flatMap(([name, text]) => [name, text ?? []].flat()),
    ...args.slice(at, end),
    ...isTurned ? withoutFlag(others, ["-n", "--requests"]) : others,
  ];
}

/** The explicit arguments among those that `withTranslated` returns. */
export function explicitIn(args: readonly string[]): readonly string[] {
  const at = placeIn(args);
  return args.slice(at + (args[at] === PLACE ? 2 : 1));
}

function placeIn(args: readonly string[]): number {
  return args.findIndex((arg) => arg === PLACE || arg.startsWith(`${PLACE}=`));
}

/**
 * Sentences that say how the tool would have measured differently from Plateau.
 * @param others Explicit arguments of `bench`, which override those of the tool.
 */
export function differencesOf(
  commandLine: string,
  measured: Measured,
  others: readonly string[],
): string[] {
  const { name, line: { notes, options } } = translated(commandLine, others);
  return [
    ...new Set(notes.map((note) => `Unlike ${name}: ${note}`)),
    ...tools[name].differences(measured, options),
  ];
}

/**
 * Throws a UserError that lists everything unknown in the command line.
 * @param others Explicit arguments of `bench`, which override those of the tool.
 */
function translated(commandLine: string, others: readonly string[]): Translation {
  const [program, ...words] = withoutLauncher(shellWords(commandLine, PLACE));
  const name = (program ?? "").replace(/^.*\//, "");
  if (!isToolName(name)) throw new UserError([unknownTool(name)]);
  const tool = tools[name];
  const { line: read, problems } = readLine(tool, words, PLACE);
  if (problems.length > 0) throw new UserError(problems);
  const line = withOwn(read, others);
  const withHeaders = withFields(tool, withLastFields(tool, line), others);
  const completed = withUrl(tool, tool.complete?.(withHeaders) ?? withHeaders);
  return { name, line: atRate(withEnd(tool, overHttp2(completed, others))) };
}

const LAUNCHERS = ["npx", "bunx", "time", "sudo"];

/** Drops a program that starts the tool, such as npx in `npx --yes autocannon`. */
function withoutLauncher(words: readonly string[]): readonly string[] {
  if (!LAUNCHERS.includes(words[0])) return words;
  return words.slice(["-y", "--yes"].includes(words[1]) ? 2 : 1);
}

/** Flags for header fields, in ascending order of precedence between fields of the same name. */
const FIELD_FLAGS = [FALLBACK_FIELD, "-H", LAST_FIELD];

/**
 * Removes header fields that the tool would replace by others of the same name, and makes the remaining ones `-H`
 * flags.
 */
function withLastFields({ lastFieldCounts = false }: Tool, line: TranslatedLine): TranslatedLine {
  const fields = line.flags.flatMap(([flag, text = ""], at) => {
    const precedence = FIELD_FLAGS.indexOf(flag);
    return precedence < 0 ? [] : [{ at, precedence, name: fieldName(text) }];
  });
  const replaced = fields.filter((field) =>
    fields.some(({ at, precedence, name }) => {
      if (name !== field.name) return false;
      if (precedence !== field.precedence) {
        return precedence > field.precedence && (lastFieldCounts || field.precedence === 0);
      }
      return at > field.at && (lastFieldCounts || precedence !== FIELD_FLAGS.indexOf("-H"));
    })
  );
  const left = new Set(replaced.map(({ at }) => at));
  const kept = line.flags.filter((_, at) => !left.has(at));
  const flags = kept.map(([flag, text]) =>
    [FIELD_FLAGS.includes(flag) ? "-H" : flag, text] as const
  );
  return { ...line, flags };
}

function fieldName(text: string): string {
  return text.split(/[:;]/)[0].trim().toLowerCase();
}

/** Adds the request target and the user that the tool would send, unless `bench` sends the same anyway. */
function withUrl(tool: Tool, line: TranslatedLine): TranslatedLine {
  const read = line.operands.map((text) => {
    const parts = urlParts(text);
    return { text, parts, ...parts === null ? {} : tool.url(parts, line) };
  });
  const operands = read.map(({ text, parts, target }) =>
    parts === null ? text : `${parts.scheme}://${parts.host}${target ?? parts.rest}`
  );
  const targets = read.flatMap(({ target }, at) => {
    const url = URL.parse(operands[at]);
    return target === undefined || url === null || target === url.pathname + url.search
      ? []
      : target;
  });
  const refused = [
    ...line.refused,
    ...read.flatMap(({ refused = [] }) => refused),
    ...targets.some((target) => /[^\x21-\x7e]/.test(target))
      ? ["the spaces or non-ASCII letters of its URL, which it sends unencoded"]
      : [],
  ];
  const isGiven = line.flags.some(([flag, text = ""]) =>
    flag === "-H" && fieldName(text) === "authorization"
  );
  const users = isGiven ? [] : read.flatMap(({ authorization = [] }) => authorization);
  const flags = [
    ...targets.map((target) => ["--request-target", target] as const),
    ...without(line, QUERY).flags,
    ...users.map((user) => ["-H", `authorization: ${user}`] as const),
  ];
  return { ...line, operands, refused, flags };
}

/** Removes header fields that HTTP/2 forbids. The tools do not send them over HTTP/2 either. */
function overHttp2(line: TranslatedLine, others: readonly string[]): TranslatedLine {
  if (!hasHttp2(line) && !others.includes("--http2")) return line;
  const isForbidden = (text: string): boolean => {
    const [name, ...value] = text.split(":");
    return fieldProblemInHttp2(name.trim(), value.join(":")) !== null;
  };
  const flags = line.flags.filter(([name, text = ""]) => name !== "-H" || !isForbidden(text));
  return { ...line, flags };
}

function otherRequests(tool: ToolName, what: string): Problem {
  return {
    place: PLACE,
    message: `Cannot send the same requests as ${tool}: Plateau cannot take over ${what}`,
    fix: "leave the option of the tool out, or write an experiment file",
  };
}

function unknownTool(name: string): Problem {
  const names = Object.keys(tools);
  const meant = closest(name, names);
  return {
    place: PLACE,
    message: `Cannot translate a command line of ${quotedOpenly(name)}`,
    fix: meant ? `did you mean ${meant}?` : `the tools are ${names.join(", ")}`,
  };
}

/** Adds the header fields that the tool sends on its own, unless the line has fields of the same names. */
function withFields(tool: Tool, line: TranslatedLine, others: readonly string[]): TranslatedLine {
  const texts = [
    ...line.flags.flatMap(([name, text = ""]) => name.startsWith("-H") ? text : []),
    ...others.filter((_, at) => ["-H", "--header"].includes(others[at - 1])),
    ...others.flatMap((arg) => /^(?:-H|--header=)(.+)$/.exec(arg)?.[1] ?? []),
  ];
  const given = new Set(texts.map(fieldName));
  const own = Object.entries(tool.fields?.(line) ?? {}).filter(([name]) => !given.has(name));
  return withFlags(line, ...own.map(([name, text]) => ["-H", `${name}: ${text}`] as const));
}

/** Flags that describe a load, each with its other names. */
const LOAD_FLAGS = [
  ["-c", "--connections"],
  ["-d", "--duration"],
  ["-n", "--requests"],
  ["-r", "--rate"],
  ["-t", "--timeout"],
  ["-w", "--workers"],
  ["--pipeline"],
  ["--phases"],
];
const RATES = ["-r", "--phases"];

/** Replaces what the tool's options say about the load by what explicit flags say about it. */
function withOwn(line: TranslatedLine, others: readonly string[]): TranslatedLine {
  const flags = LOAD_FLAGS.flatMap((names) => {
    const text = explicitText(others, names);
    return text === undefined ? [] : [[names[0], text] as const];
  });
  const own = flags.map(([name]) => name);
  const replaced = [
    ...own,
    ...own.some((name) => ENDS.includes(name)) ? ENDS : [],
    ...own.some((name) => RATES.includes(name)) ? [...RATES, RATE_OF_EACH, "--pipeline"] : [],
  ];
  return { ...withFlags(without(line, ...replaced), ...flags), own };
}

/**
 * Adds the tool's defaults, and chooses what ends the load: a time or a number of requests. Explicit flags decide this;
 * without them, the one that takes precedence in the tool is used.
 */
function withEnd(tool: Tool, line: TranslatedLine): TranslatedLine {
  const own = ENDS.filter((name) => line.own.includes(name));
  const isTools = own.length === 0 && lastOf(line, tool.endsBy) !== undefined;
  const winning = isTools ? [tool.endsBy] : own;
  const ended = winning.length === 0
    ? line
    : without(line, ...ENDS.filter((name) => !winning.includes(name)));
  const hasEnd = ENDS.some((name) => lastOf(ended, name) !== undefined);
  const missing = Object.entries(tool.defaults).filter(([name]) =>
    ENDS.includes(name) ? !hasEnd : lastOf(ended, name) === undefined
  );
  return { ...ended, flags: [...missing, ...ended.flags] };
}

/** The text of the last explicit flag with one of these names. */
function explicitText(others: readonly string[], names: readonly string[]): string | undefined {
  return others.flatMap((arg, at) => {
    const name = names.find((name) => isFlag(arg, name));
    if (name === undefined) return [];
    return arg === name ? others[at + 1] ?? [] : arg.slice(name.length).replace(/^=/, "");
  }).at(-1);
}

function withoutFlag(others: readonly string[], names: readonly string[]): readonly string[] {
  const isNamed = (arg: string): boolean => names.some((name) => isFlag(arg, name));
  return others.filter((arg, at) => !isNamed(arg) && !names.includes(others[at - 1]));
}

/** Whether an argument is the flag, alone or with a value attached, as in `-n5` and `--requests=5`. */
function isFlag(arg: string, name: string): boolean {
  return arg === name || arg.startsWith(name.startsWith("--") ? `${name}=` : name);
}

/** Turns a rate per connection into a total rate and, if there is a rate, a number of requests into a duration. */
function atRate(line: TranslatedLine): TranslatedLine {
  const each = lastOf(line, RATE_OF_EACH);
  const connections = Number(lastOf(line, "-c") ?? 1);
  const rate = each === undefined ? lastOf(line, "-r") : `${Number(each) * connections}/s`;
  if (rate === undefined) return line;
  const requests = Number(lastOf(line, "-n"));
  const perSec = parseRatePerSec(rate) ?? 0;
  const end = requests > 0 && perSec > 0
    ? [["-d", durationText(requests * 1_000 / perSec)] as const]
    : [];
  const pipelined = lastOf(line, "--pipeline") === undefined
    ? []
    : ["Plateau runs without pipelining"];
  const shared = each === undefined
    ? []
    : ["the limit per connection becomes a rate for all connections"];
  const replaced = requests > 0 ? ["-n"] : [];
  const paced = without(line, "-r", RATE_OF_EACH, "--pipeline", ...replaced);
  return {
    ...withFlags(paced, ["-r", rate], ...end),
    notes: [...line.notes, ...shared, ...pipelined],
  };
}

/** The tools by the name of their program. */
export const tools = { ab, autocannon, curl, hey, oha, wrk, wrk2 } satisfies Record<Peer, Tool>;

type ToolName = keyof typeof tools;

function isToolName(name: string): name is ToolName {
  return Object.hasOwn(tools, name);
}
