/**
 * The declaration of a command: operands and flags, each with the schema of its text, and what to do with their values.
 * Each command has one file, and one line in `registry.ts`.
 */
import type * as z from "zod";
import type { Problem } from "../../base/errors.ts";

/** A named part of a command line. */
export interface Flag<Schema extends z.ZodType = z.ZodType> {
  /** The flag as shown in the help: `-c, --connections <N>`; a switch has no `<…>`. */
  readonly flags: string;
  readonly about: string;
  /** Parses the flag's text; a boolean for a switch; a list of texts if repeatable. */
  readonly schema: Schema;
  /** The text used if the flag is not given. */
  readonly preset?: string;
  readonly repeatable?: true;
  /** Heading in the help; default: "Options:". */
  readonly heading?: string;
}

/** A part of a command line that is identified by its position. */
export interface Operand<Schema extends z.ZodType = z.ZodType> {
  /** The operand as shown in the help: `<URL>`, `[FILE]` if optional, `<RESULTS...>` if there may be many. */
  readonly operand: string;
  readonly about: string;
  /** Parses the operand's text, or a list of texts if there may be many. */
  readonly schema: Schema;
}

export type CommandParts = Readonly<Record<string, Flag | Operand>>;
export type ParsedValues<P extends CommandParts> = {
  readonly [Name in keyof P]: z.output<P[Name]["schema"]>;
};

/** The flags under a heading of their own in the help. */
export function under<P extends Readonly<Record<string, Flag>>>(heading: string, flags: P): P {
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, { ...flag, heading }]),
  ) as P;
}

/** The texts of a command line by the names of the parts; undefined for a part that was not given. */
export type RawArguments = Readonly<Record<string, unknown>>;

export interface CommandSpec<P extends CommandParts> {
  /** A flag's key is its long name in camel case, or the name of the load option that it sets. */
  readonly parts: P;
  /** Text below the help, such as examples. */
  readonly more?: string;
  /** Flags that users look for but the command lacks, by long name, each with the reason. All of them take a value. */
  readonly lacks?: Readonly<Record<string, string>>;
  /** Problems of the parts in combination. */
  readonly conflicts?: (given: RawArguments) => Problem[];
  /** Problems of the file that the command reads, reported together with those of the command line. */
  readonly fileProblems?: (given: RawArguments) => Promise<readonly Problem[]>;
  /** Runs the command; resolves with the exit code. @param args The arguments as typed. */
  readonly run: (values: ParsedValues<P>, args: readonly string[]) => Promise<number>;
}

/** The name of a command, and a one-line summary. */
export interface CommandTitle {
  readonly name: string;
  readonly summary: string;
}

export interface Command {
  /** The operands and flags; absent for a command that no person types. */
  readonly parts?: CommandParts;
  /** Text below the help, such as examples. */
  readonly more?: string;
  /** Resolves with the exit code. Throws a UserError with every problem in `args`. */
  execute(args: readonly string[], title: CommandTitle): Promise<number>;
}
