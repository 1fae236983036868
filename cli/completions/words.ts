/** What can be typed after `plateau`: the declarations of the commands as shells need them. Pure. */
import { Option } from "commander";
import { z } from "zod";
import type { Flag, Operand, Parts } from "../command_line/command.ts";

/** What may stand in one place. */
export interface Place {
  /** As the help calls it: `FILE`, `N`. */
  readonly name: string;
  /** The words that it can be, or that come first to mind; none when it can be anything. */
  readonly words: readonly string[];
  readonly isFile: boolean;
}

export interface TypedFlag {
  /** `-c`, `--connections`: one of them or both. */
  readonly names: readonly string[];
  readonly about: string;
  /** Null for a switch. */
  readonly value: Place | null;
  readonly isRepeatable: boolean;
}

export interface TypedCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly TypedFlag[];
  readonly operands: readonly (Place & { readonly isMany: boolean })[];
}

export interface DeclaredCommand {
  readonly name: string;
  readonly summary: string;
  readonly parts: Parts;
}

/** As arguments.ts adds them to every command. */
const EVERYWHERE: readonly TypedFlag[] = [
  { names: ["--no-color"], about: "No colours", value: null, isRepeatable: false },
  { names: ["-h", "--help"], about: "This text", value: null, isRepeatable: false },
  { names: ["-V", "--version"], about: "The version of Plateau", value: null, isRepeatable: false },
];

/** @param known Words for operands whose schema takes any text, by their names. */
export function typedCommand(
  { name, summary, parts }: DeclaredCommand,
  known: Readonly<Record<string, readonly string[]>>,
): TypedCommand {
  const all = Object.values(parts);
  return {
    name,
    summary,
    flags: [...all.flatMap((part) => "flags" in part ? [typedFlag(part)] : []), ...EVERYWHERE],
    operands: all.flatMap((part) => "flags" in part ? [] : [typedOperand(part, known)]),
  };
}

function typedFlag({ flags, about, schema, repeatable }: Flag): TypedFlag {
  const { short, long, required } = new Option(flags);
  const names = [short, long].flatMap((name) => name ?? []);
  const value = required ? placeOf(/<(.+)>/.exec(flags)?.[1] ?? "", schema) : null;
  return { names, about: firstClause(about), value, isRepeatable: repeatable === true };
}

function typedOperand(
  { operand, schema }: Operand,
  known: Readonly<Record<string, readonly string[]>>,
): TypedCommand["operands"][number] {
  const name = operand.replace(/[^\w]/g, "");
  const { words } = placeOf(name, schema);
  return {
    name,
    words: [...words, ...known[name] ?? []],
    isFile: words.length === 0 && name !== "URL",
    isMany: operand.includes("..."),
  };
}

function placeOf(name: string, schema: z.ZodType): Place {
  return { name, words: wordsOf(schema), isFile: /\b(?:FILE|DIR|PATH)\b/.test(name) };
}

/** The rest stands in the help. */
function firstClause(about: string): string {
  return about.split(/; | \(default/)[0];
}

/** Those that a schema is a choice of, before or after it was read. */
function wordsOf(schema: z.ZodType): string[] {
  for (const io of ["input", "output"] as const) {
    const words = choicesOf(z.toJSONSchema(schema, { io, unrepresentable: "any" }));
    if (words.length > 0) return words;
  }
  return [];
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

function choicesOf(schema: JsonSchema): string[] {
  if (typeof schema.const === "string") return [schema.const];
  if (schema.enum !== undefined) return schema.enum.map(String);
  const { items } = schema;
  return typeof items === "object" && !Array.isArray(items) ? choicesOf(items) : [];
}
