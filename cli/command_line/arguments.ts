/**
 * Turns a command line into values, or reports all its problems at once. Commander splits the line into options and
 * lays out the help, but it would stop at the first mistake, so values are checked here.
 */
import {
  Argument,
  Command as Commander,
  CommanderError,
  type HelpConfiguration,
  Option,
} from "commander";
import * as z from "zod";
import { EXIT, type Problem, UserError } from "../../base/errors.ts";
import { AS_INPUT } from "../../base/explain.ts";
import { findingsOf } from "../../base/problems.ts";
import { closest } from "../../base/suggest.ts";
import type {
  Command,
  CommandParts,
  CommandSpec,
  CommandTitle,
  Flag,
  Operand,
  ParsedValues,
  RawArguments,
} from "./command.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { VERSION } from "../../base/version.ts";
import { print, printError } from "../terminal/terminal.ts";
import { keepSecretsOf, quotedOpenly, withoutSecrets } from "../../base/secrets.ts";

/** Makes a command from its declaration. */
export function defineCommand<P extends CommandParts>(spec: CommandSpec<P>): Command {
  return {
    parts: spec.parts,
    more: spec.more,
    async execute(args, title): Promise<number> {
      keepSecretsOf(args);
      const read = await readWithFile(spec, title, args);
      if (read.wants === "values") {
        const note = openPasswordNote(args);
        if (note !== null && !Reflect.get(read.values, "quiet")) printError(textLines([note]));
        return await spec.run(read.values, args);
      }
      await print(textLines(read.wants === "help" ? helpLines(spec, title) : [VERSION]));
      return EXIT.done;
    },
  };
}

type ReadArguments<P extends CommandParts> =
  | { readonly wants: "help" | "version" }
  | { readonly wants: "values"; readonly values: ParsedValues<P> };

/**
 * Like `readArguments`, but if the command line has problems, the UserError also names those of the file that the
 * command reads.
 */
async function readWithFile<P extends CommandParts>(
  spec: CommandSpec<P>,
  title: CommandTitle,
  args: readonly string[],
): Promise<ReadArguments<P>> {
  try {
    return readArguments(spec, title, args);
  } catch (error) {
    if (!(error instanceof UserError) || spec.fileProblems === undefined) throw error;
    const { given } = split({ ...spec, title }, args);
    throw new UserError([...error.problems, ...await spec.fileProblems(given)]);
  }
}

/** Reads a command line. Throws a UserError with all of its problems. */
export function readArguments<P extends CommandParts>(
  spec: CommandSpec<P>,
  title: CommandTitle,
  args: readonly string[],
): ReadArguments<P> {
  const { given, problems } = split({ ...spec, title }, args);
  if (given.help) return { wants: "help" };
  if (given.version) return { wants: "version" };
  problems.push(...optionsAsValues(spec.parts, given));
  const shape = Object.entries(spec.parts).map(([name, { schema }]) => [name, schema]);
  const parsed = z.object(Object.fromEntries(shape)).safeParse(given, AS_INPUT);
  for (const { path: [name], message } of findingsOf(parsed.error?.issues ?? [], given)) {
    problems.push({ place: placeOf(spec.parts[String(name)]), message });
  }
  problems.push(...spec.conflicts?.(given) ?? []);
  if (problems.length > 0) throw new UserError(problems);
  return { wants: "values", values: parsed.data as ParsedValues<P> };
}

function helpLines<P extends CommandParts>(
  spec: CommandSpec<P>,
  title: CommandTitle,
): string[] {
  const help = commanderOf({ parts: spec.parts, title }).configureHelp(HELP).helpInformation();
  return [
    ...help.trimEnd().split("\n"),
    ...spec.more ? ["", ...paragraphs(spec.more).flatMap(wrapped)] : [],
  ];
}

/** Width of the help in columns. It is the same in a terminal of any width, in a pipe and on a documentation page. */
const HELP_WIDTH = 80;
/** Widest flag or operand, in columns, that is shown on the same line as its description. */
const LONGEST_TERM = 24;
const INDENT = 2;

const HELP: HelpConfiguration = {
  helpWidth: HELP_WIDTH,
  padWidth: (command, helper) =>
    Math.min(
      LONGEST_TERM,
      Math.max(
        helper.longestOptionTermLength(command, helper),
        helper.longestArgumentTermLength(command, helper),
      ),
    ),
  formatItem(term, termWidth, description, helper): string {
    const margin = " ".repeat(INDENT);
    if (description === "") return margin + term;
    const column = INDENT + termWidth + INDENT;
    const text = helper.boxWrap(description, HELP_WIDTH - column)
      .replaceAll("\n", `\n${" ".repeat(column)}`);
    const gap = term.length > termWidth
      ? `\n${" ".repeat(column)}`
      : " ".repeat(termWidth - term.length + INDENT);
    return margin + term + gap + text;
  },
};

/** Splits text into paragraphs and list items, each joined into one line. */
function paragraphs(text: string): string[] {
  const goesOn = /(?<=^(?! *plateau )\S.*)\n(?=\S)|(?<=^ +\d {2}.*)\n {5}(?=\S)/gm;
  return text.trimEnd().replaceAll(goesOn, " ").split("\n");
}

/**
 * Wraps a line to the width of the help. Continuation lines are aligned with the text. A wrapped command gets a
 * backslash at the end of each line but the last.
 */
function wrapped(line: string): string[] {
  if (line.length <= HELP_WIDTH) return [line];
  const isCommand = /^ *plateau /.test(line);
  const [start] = /^ *(?:\d+ {2,})?/.exec(line) ?? [""];
  const indent = " ".repeat(start.length + (isCommand ? INDENT : 0));
  const words = line.slice(start.length).match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  const most = HELP_WIDTH - (isCommand ? INDENT : 0);
  const lines = [start];
  for (const word of words) {
    const last = lines[lines.length - 1];
    const isFirst = last.trim() === "" || last === start;
    const joined = last + (isFirst ? "" : " ") + word;
    if (joined.length <= most || isFirst) lines[lines.length - 1] = joined;
    else lines.push(indent + word);
  }
  return lines.map((text, at) => isCommand && at < lines.length - 1 ? `${text} \\` : text);
}

interface Called extends Pick<CommandSpec<CommandParts>, "parts" | "lacks"> {
  readonly title: CommandTitle;
}

interface Split {
  readonly given: RawArguments;
  readonly problems: Problem[];
}

function split(called: Called, args: readonly string[]): Split {
  const commander = commanderOf(called);
  try {
    const { operands, unknown } = commander.parseOptions([...args]);
    const rest = readUnknown(commander, unknown, called.lacks);
    const placed = placeOperands(called, [...operands, ...rest.operands]);
    return {
      given: { ...commander.opts(), ...namedFlags(called.parts, commander), ...placed.given },
      // After an unknown option, it is unclear which of the words are operands, so problems with
      // operands are not reported.
      problems: rest.problems.length > 0 ? rest.problems : placed.problems,
    };
  } catch (error) {
    // Commander itself reports only one problem here: that the last flag has no value.
    if (!(error instanceof CommanderError)) throw error;
    const { given, problems } = split(called, args.slice(0, -1));
    const message = "Cannot use this option without a value";
    return { given, problems: [...problems, { place: args[args.length - 1], message }] };
  }
}

/** The values of flags whose key in `parts` differs from the one that Commander derives from the flag's long name. */
function namedFlags(parts: CommandParts, commander: Commander): Record<string, unknown> {
  const given = Object.entries(parts).flatMap(([name, part]) => {
    const known = isFlag(part) ? new Option(part.flags).attributeName() : name;
    const value = known === name ? undefined : commander.getOptionValue(known);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

/**
 * Reads the words that follow an unknown option. @param unknown The words from the first unknown option on, without the
 * options that are known.
 */
function readUnknown(
  { options }: Commander,
  unknown: readonly string[],
  lacks: Called["lacks"] = {},
): { operands: string[]; problems: Problem[] } {
  const operands: string[] = [];
  const problems: Problem[] = [];
  for (let at = 0; at < unknown.length; at++) {
    if (unknown[at] === "--") {
      return { operands: [...operands, ...unknown.slice(at + 1)], problems };
    }
    if (!/^-./.test(unknown[at])) {
      operands.push(unknown[at]);
      continue;
    }
    const [place, ...value] = unknown[at].split("=");
    if (Object.hasOwn(lacks, place)) {
      problems.push({ place, message: `Cannot use this here: ${lacks[place]}` });
      if (value.length === 0) at++; // skips the value of this option
      continue;
    }
    const name = closest(place, longNames(options));
    const meant = options.find(({ long }) => name !== null && long === name);
    const fix = meant ? `did you mean ${meant.long}?` : "--help lists the options";
    const message = "Cannot understand this option";
    problems.push({ place: withoutSecrets(place), message, fix });
    if (meant?.required && value.length === 0) at++; // skips the value meant for this option
  }
  return { operands, problems };
}

/** Finds options whose value was forgotten, so that the next option was taken for it: `--json --quiet`. */
function optionsAsValues(parts: CommandParts, given: RawArguments): Problem[] {
  const flags = Object.entries(parts).filter(([, part]) => isFlag(part));
  const places = flags.map(([name, part]) => ({ value: given[name], place: placeOf(part) }));
  const known = new Set(places.map(({ place }) => place));
  return places.filter(({ value }) => typeof value === "string" && known.has(value))
    .map(({ value, place }) => ({
      place,
      message: `Cannot use ${value} as the value of ${place}: it is itself an option`,
      fix: `write the value after ${place}`,
    }));
}

function longNames(options: readonly Option[]): string[] {
  return options.flatMap(({ long }) => long ?? []);
}

/** Assigns words to the operands, in the order of their declaration; reports words that are left over. */
function placeOperands({ parts, title }: Called, texts: readonly string[]): Split {
  const given: Record<string, unknown> = {};
  const rest = [...texts];
  const named = Object.entries(parts).flatMap(([name, part]) =>
    isFlag(part) ? [] : [{ name, part }]
  );
  for (const { name, part } of named) {
    given[name] = new Argument(part.operand).variadic ? rest.splice(0) : rest.shift();
  }
  const taken = named.map(({ part }) => part.operand).join(" ") || "no operands";
  const message = `Cannot use this here: plateau ${title.name} takes ${taken}`;
  return { given, problems: rest.map((text) => ({ place: quotedOpenly(text), message })) };
}

function commanderOf({ parts, title }: Called): Commander {
  const commander = new Commander(`plateau ${title.name}`)
    .description(title.summary)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .helpOption(false);
  for (const part of Object.values(parts)) {
    if (isFlag(part)) commander.addOption(optionOf(part));
    else commander.addArgument(new Argument(part.operand, part.about));
  }
  // Every command accepts --quiet, so that a script may pass it to any of them.
  if (parts.quiet === undefined) commander.addOption(new Option("-q, --quiet").hideHelp());
  return commander
    .option("--no-color", "No colours; NO_COLOR does the same") // cli/terminal/terminal.ts reads it
    .option("-h, --help", "This text")
    .option("-V, --version", "The version of Plateau");
}

function optionOf({ flags, about, preset, repeatable, heading }: Flag): Option {
  const option = new Option(flags, about);
  if (preset !== undefined) option.default(preset, preset);
  if (heading !== undefined) option.helpGroup(heading);
  if (repeatable) option.argParser<string[]>((text, before = []) => [...before, text]);
  return option;
}

function isFlag(part: Flag | Operand): part is Flag {
  return "flags" in part;
}

function placeOf(part: Flag | Operand): string {
  if (!isFlag(part)) return part.operand.replace(/[^\w]/g, "");
  return new Option(part.flags).long ?? part.flags;
}

/**
 * Matches an argument that is a Redis URL with a password. Every user of the machine can read arguments in the list of
 * processes.
 */
const OPEN_PASSWORD = /^(?:--redis=)?rediss?:\/\/[^/@]*:[^/@]+@/i;

const OPEN_PASSWORD_NOTE = "Note: everybody on this machine can see the password in --redis; " +
  "use --redis-password-file FILE or PLATEAU_REDIS_PASSWORD";

/** A note that warns of a password on the command line; null if there is none. */
export function openPasswordNote(args: readonly string[]): string | null {
  return args.some((arg) => OPEN_PASSWORD.test(arg)) ? OPEN_PASSWORD_NOTE : null;
}
