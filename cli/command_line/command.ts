/**
 * What a command of `plateau` is: operands and flags, each with the schema of its text, and what to do
 * with their values. One file a member, one line in `registry.ts`.
 */
import type * as z from "zod";
import type { Problem } from "../../base/errors.ts";

/** A named part of a command line. */
export interface Flag<Schema extends z.ZodType = z.ZodType> {
  /** The flag as its help shows it: `-c, --connections <N>`; a switch has no `<…>`. */
  readonly flags: string;
  readonly about: string;
  /** Reads its text; a boolean for a switch; a list of texts when it is repeatable. */
  readonly schema: Schema;
  /** The text that stands for a flag that is not given. */
  readonly preset?: string;
  readonly repeatable?: true;
  /** Heading in the help; "Options:" when absent. */
  readonly heading?: string;
}

/** A part of a command line that is known by its position. */
export interface Operand<Schema extends z.ZodType = z.ZodType> {
  /**
   * The operand as its help shows it: `<URL>`, `[FILE]` when it may be left out, `<RESULTS...>` when there may be many.
   */
  readonly operand: string;
  readonly about: string;
  /** Reads its text, or a list of texts when there may be many. */
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

/** The texts of a command line by the names of the parts; undefined for a part that is not given. */
export type RawArguments = Readonly<Record<string, unknown>>;

export interface CommandSpec<P extends CommandParts> {
  /** A flag's key is its long name in camel case, as commander has it (`--no-keepalive`: keepalive). */
  readonly parts: P;
  /** Lines under the help, such as examples. */
  readonly more?: string;
  /** Why the command lacks a flag of another command, by that flag's long name; the flag must be one with a value. */
  readonly lacks?: Readonly<Record<string, string>>;
  /** Problems of the parts together. */
  readonly conflicts?: (given: RawArguments) => Problem[];
  /** Problems of the file that it reads, to show them beside those of the command line. */
  readonly fileProblems?: (given: RawArguments) => Promise<readonly Problem[]>;
  /** Carries the command out; resolves with the exit code. @param args The arguments as typed. */
  readonly run: (values: ParsedValues<P>, args: readonly string[]) => Promise<number>;
}

/** How a command is called, and its summary in a line. */
export interface CommandTitle {
  readonly name: string;
  readonly summary: string;
}

export interface Command {
  /** The operands and flags; absent for a command that no person types. */
  readonly parts?: CommandParts;
  /** Lines under the help, such as examples. */
  readonly more?: string;
  /** Resolves with the exit code. Throws a UserError with everything that is wrong with `args`. */
  execute(args: readonly string[], title: CommandTitle): Promise<number>;
}
