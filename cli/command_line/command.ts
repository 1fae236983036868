/**
 * The declaration of a command: its operands and flags, each with a schema that parses its text, and the function that
 * runs the command with their values. Each command has its own file, and one line in `registry.ts`.
 */
import type * as z from "zod";
import type { Problem } from "../../base/errors.ts";

/** A part of a command line that is recognised by its name, not by its position. */
export interface Flag<Schema extends z.ZodType = z.ZodType> {
  /** The flag as the help shows it: `-c, --connections <N>`. A flag without `<…>` is a switch. */
  readonly flags: string;
  readonly about: string;
  /** Parses the flag's text; gets a boolean for a switch, and a list of texts for a repeatable flag. */
  readonly schema: Schema;
  /** The text to parse if the flag is not given. */
  readonly preset?: string;
  readonly repeatable?: true;
  /** Heading under which the help lists the flag; default: "Options:". */
  readonly heading?: string;
}

/** A part of a command line that is identified by its position. */
export interface Operand<Schema extends z.ZodType = z.ZodType> {
  /** The operand as the help shows it: `<URL>`; `[FILE]` if it is optional; `<RESULTS...>` if there may be several. */
  readonly operand: string;
  readonly about: string;
  /** Parses the operand's text; gets a list of texts if there may be several. */
  readonly schema: Schema;
}

export type CommandParts = Readonly<Record<string, Flag | Operand>>;
export type ParsedValues<P extends CommandParts> = {
  readonly [Name in keyof P]: z.output<P[Name]["schema"]>;
};

/** Puts flags under a heading in the help. */
export function under<P extends Readonly<Record<string, Flag>>>(heading: string, flags: P): P {
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, { ...flag, heading }]),
  ) as P;
}

/**
 * The unparsed value of each part of a command line, keyed by the part's name: a text, a list of texts or a boolean;
 * undefined if the part was not given.
 */
export type RawArguments = Readonly<Record<string, unknown>>;

export interface CommandSpec<P extends CommandParts> {
  /**
   * The operands and flags. A flag's key is its long name in camel case, or the name of the load option that it sets.
   */
  readonly parts: P;
  /** Text below the help, such as examples. */
  readonly more?: string;
  /**
   * Flags that users may look for, although the command lacks them. Maps each flag's long name to the reason why it is
   * missing. All of these flags take a value.
   */
  readonly lacks?: Readonly<Record<string, string>>;
  /** Finds problems in the combination of parts, such as flags that exclude each other. */
  readonly conflicts?: (given: RawArguments) => Problem[];
  /** Finds problems in the file that the command reads, to report them together with those of the command line. */
  readonly fileProblems?: (given: RawArguments) => Promise<readonly Problem[]>;
  /** Runs the command; resolves with the exit code. @param args The arguments as typed. */
  readonly run: (values: ParsedValues<P>, args: readonly string[]) => Promise<number>;
}

export interface CommandTitle {
  readonly name: string;
  readonly summary: string;
}

export interface Command {
  /** Absent for a command that is started only by programs, never by users. */
  readonly parts?: CommandParts;
  /** Text below the help, such as examples. */
  readonly more?: string;
  /**
   * Parses the arguments and runs the command. Resolves with the exit code. Throws a UserError with every problem in
   * `args`.
   */
  execute(args: readonly string[], title: CommandTitle): Promise<number>;
}
