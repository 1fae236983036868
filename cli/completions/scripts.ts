/** The words of the commands as a script for each shell: bash from 3.2 on, fish, and zsh (to be sourced, or as `_plateau` in fpath). */
import type { Place, TypedCommand, TypedFlag } from "./words.ts";

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

/** What follows a flag that takes a value: a case for all flags that take the same. */
function bashValueCases({ name, flags }: TypedCommand): string[] {
  const cases = flags.flatMap(({ names, value }) =>
    value === null ? [] : [{ names, action: bashAction(value) }]
  );
  return [...Map.groupBy(cases, ({ action }) => action)].map(([action, alike]) => {
    const typed = alike.flatMap(({ names }) => names).map((flag) => `"${name} ${flag}"`);
    return `    ${typed.join(" | ")}) ${action} ;;`;
  });
}

function bashAction({ words, isFile }: Place): string {
  if (words.length > 0) return `words="${words.join(" ")}"`;
  return isFile ? ":" : "compopt +o default +o bashdefault 2>/dev/null";
}

function bashCase({ name, flags, operands }: TypedCommand): string {
  const options = flags.flatMap(({ names }) => names).join(" ");
  const words = operands.flatMap(({ words }) => words).join(" ");
  return `        ${name}) if [[ $cur == -* ]]; then words="${options}"; else words="${words}"; fi ;;`;
}

/** The words of the commands as a script for fish. */

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

function fishValue({ words, isFile }: Place): string {
  const choices = words.length > 0 ? [`-a ${fishQuoted(words.join(" "))}`] : [];
  return [isFile ? "-F" : "-f", ...choices].join(" ");
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** The words of the commands as a script for zsh: to be sourced, or as `_plateau` in a folder of fpath. */

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

/** `'(-c --connections)'{-c,--connections}'[about]:N:'`. */
function zshFlag({ names, about, value, isRepeatable }: TypedFlag): string {
  const others = isRepeatable ? "'*'" : zshQuoted(`(${names.join(" ")})`);
  const either = names.length > 1 ? `{${names.join(",")}}` : names[0];
  const described = `[${zshEscaped(about)}]${value === null ? "" : `:${zshPlace(value)}`}`;
  return others + either + zshQuoted(described);
}

function zshPlace({ name, words, isFile }: Place): string {
  const files = "_files";
  const choices = `(${words.join(" ")})`;
  const action = words.length > 0
    ? isFile ? `{_alternative "words:word:${choices}" "files:file:${files}"}` : choices
    : isFile
    ? files
    : " ";
  return `${zshEscaped(name)}:${action}`;
}

/** What means something in a specification of zsh. */
function zshEscaped(text: string): string {
  return text.replace(/[\\[\]:]/g, "\\$&");
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
