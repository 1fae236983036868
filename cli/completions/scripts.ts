/** Scripts for shells that complete what is typed after `plateau`, made from the declarations of the commands. Pure. */
import { Option } from "commander";
import * as z from "zod";
import type { CommandParts, Flag, Operand } from "../command_line/command.ts";

/** The values that may be typed at one position. */
interface CompletedValue {
  /** Placeholder in the help: `FILE`, `N`. */
  readonly name: string;
  /** The possible words, or the most common ones; empty if any text is possible. */
  readonly words: readonly string[];
  readonly isFile: boolean;
}

interface TypedFlag {
  /** The short and the long name, `-c` and `--connections`, or one of them. */
  readonly names: readonly string[];
  readonly about: string;
  /** The flag's value; null for a switch. */
  readonly value: CompletedValue | null;
  readonly isRepeatable: boolean;
}

interface TypedCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly TypedFlag[];
  readonly operands: readonly (CompletedValue & { readonly isMany: boolean })[];
}

export interface DeclaredCommand {
  readonly name: string;
  readonly summary: string;
  readonly parts: CommandParts;
  /** Text below the help, such as examples. */
  readonly more?: string;
}

/** The flags that arguments.ts adds to every command. */
const EVERYWHERE: readonly TypedFlag[] = [
  { names: ["--no-color"], about: "No colours", value: null, isRepeatable: false },
  { names: ["-h", "--help"], about: "This text", value: null, isRepeatable: false },
  { names: ["-V", "--version"], about: "The version of Plateau", value: null, isRepeatable: false },
];

/** @param known Words for operands whose schema accepts any text, by the operand's name. */
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
  const value = required ? completedValue(/<(.+)>/.exec(flags)?.[1] ?? "", schema) : null;
  return { names, about: firstClause(about), value, isRepeatable: repeatable === true };
}

function typedOperand(
  { operand, schema }: Operand,
  known: Readonly<Record<string, readonly string[]>>,
): TypedCommand["operands"][number] {
  const name = operand.replace(/[^\w]/g, "");
  const { words } = completedValue(name, schema);
  return {
    name,
    words: [...words, ...known[name] ?? []],
    isFile: words.length === 0 && name !== "URL",
    isMany: operand.includes("..."),
  };
}

function completedValue(name: string, schema: z.ZodType): CompletedValue {
  return { name, words: choicesOfSchema(schema), isFile: /\b(?:FILE|DIR|PATH)\b/.test(name) };
}

/** The first clause of a description, which is enough beside a completion. */
function firstClause(about: string): string {
  return about.split(/; | \(default/)[0];
}

/** The choices that a schema accepts; if it lists none, those that its transformation produces. */
function choicesOfSchema(schema: z.ZodType): string[] {
  for (const io of ["input", "output"] as const) {
    const words = choicesOf(z.toJSONSchema(schema, { io, unrepresentable: "any" }));
    if (words.length > 0) return words;
  }
  return [];
}

type ChoiceSchema = z.core.JSONSchema.JSONSchema;

function choicesOf(schema: ChoiceSchema): string[] {
  if (typeof schema.const === "string") return [schema.const];
  if (schema.enum !== undefined) return schema.enum.map(String);
  const { items } = schema;
  return typeof items === "object" && !Array.isArray(items) ? choicesOf(items) : [];
}

/** The script for bash 3.2 or later. */
export function bashScript(commands: readonly TypedCommand[]): string {
  const names = commands.map(({ name }) => name);
  return `# plateau in bash: source <(plateau completions bash)
_plateau() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} words=
  # --flag=value comes as three words.
  if [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $cur == = ]]; then cur=; fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${[...names, "--help", "--version"].join(" ")}" -- "$cur"))
    return
  fi
  case "$command $prev" in
${commands.flatMap(bashValueCases).join("\n")}
    *)
      case "$command" in
${commands.map(bashCase).join("\n")}
      esac
      ;;
  esac
  # Where there is no word, bash completes files.
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _plateau plateau
`;
}

/** Cases that complete the value of a flag; flags whose values are completed alike share a case. */
function bashValueCases({ name, flags }: TypedCommand): string[] {
  const cases = flags.flatMap(({ names, value }) =>
    value === null ? [] : [{ names, action: bashAction(value) }]
  );
  return [...Map.groupBy(cases, ({ action }) => action)].map(([action, alike]) => {
    const typed = alike.flatMap(({ names }) => names).map((flag) => `"${name} ${flag}"`);
    return `    ${typed.join(" | ")}) ${action} ;;`;
  });
}

function bashAction({ words, isFile }: CompletedValue): string {
  if (words.length > 0) return `words="${words.join(" ")}"`;
  return isFile ? ":" : "compopt +o default +o bashdefault 2>/dev/null";
}

function bashCase({ name, flags, operands }: TypedCommand): string {
  const options = flags.flatMap(({ names }) => names).join(" ");
  const words = operands.flatMap(({ words }) => words).join(" ");
  return `        ${name}) if [[ $cur == -* ]]; then words="${options}"; else words="${words}"; fi ;;`;
}

export function fishScript(commands: readonly TypedCommand[]): string {
  const lines = commands.flatMap((command) => {
    const { name, summary, flags, operands } = command;
    return [
      `complete -c plateau -n '__plateau_at' -f -a ${name} -d ${fishQuoted(summary)}`,
      ...flags.map((flag) => `${fishLine(name)} ${fishFlag(flag)}`),
      ...operands.map((operand) => `${fishLine(name)} ${fishValue(operand)}`),
    ];
  });
  return `# plateau in fish: plateau completions fish | source
# Whether the command is the given one; without one, whether there is none yet.
function __plateau_at
  set -l typed (commandline -opc)
  test "$typed[2]" = "$argv[1]"
end
${lines.join("\n")}
`;
}

function fishLine(command: string): string {
  return `complete -c plateau -n '__plateau_at ${command}'`;
}

function fishFlag({ names, about, value }: TypedFlag): string {
  const options = names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`
  );
  const taken = value === null ? [] : [`-r ${fishValue(value)}`];
  return [...options, ...taken, `-d ${fishQuoted(about)}`].join(" ");
}

function fishValue({ words, isFile }: CompletedValue): string {
  const choices = words.length > 0 ? [`-a ${fishQuoted(words.join(" "))}`] : [];
  return [isFile ? "-F" : "-f", ...choices].join(" ");
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** The script for zsh, to be sourced, or installed as `_plateau` in a folder of $fpath. */
export function zshScript(commands: readonly TypedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${zshQuoted(`${name}:${summary}`)}`);
  return `#compdef plateau
# plateau in zsh, after compinit: source <(plateau completions zsh)
_plateau() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${commands.map(zshCase).join("\n")}
  esac
}
if [[ $funcstack[1] == _plateau ]]; then _plateau "$@"; else compdef _plateau plateau; fi
`;
}

function zshCase({ name, flags, operands }: TypedCommand): string {
  const specs = [
    ...flags.map(zshFlag),
    ...operands.map(({ isMany, ...place }, i) =>
      zshQuoted(`${isMany ? "*" : i + 1}:${zshPlace(place)}`)
    ),
  ];
  return `    ${name})\n      _arguments -S \\\n${
    specs.map((spec) => `        ${spec}`).join(" \\\n")
  }\n      ;;`;
}

/** A flag as an argument of zsh's `_arguments`, such as `'(-c --connections)'{-c,--connections}'[about]:N:'`. */
function zshFlag({ names, about, value, isRepeatable }: TypedFlag): string {
  const others = isRepeatable ? "'*'" : zshQuoted(`(${names.join(" ")})`);
  const either = names.length > 1 ? `{${names.join(",")}}` : names[0];
  const described = `[${zshEscaped(about)}]${value === null ? "" : `:${zshPlace(value)}`}`;
  return others + either + zshQuoted(described);
}

function zshPlace({ name, words, isFile }: CompletedValue): string {
  const files = "_files";
  const choices = `(${words.join(" ")})`;
  const action = words.length > 0
    ? isFile ? `{_alternative "words:word:${choices}" "files:file:${files}"}` : choices
    : isFile
    ? files
    : " ";
  return `${zshEscaped(name)}:${action}`;
}

/** Escapes the characters that have a meaning in zsh's option specifications. */
function zshEscaped(text: string): string {
  return text.replace(/[\\[\]:]/g, "\\$&");
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
