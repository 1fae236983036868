/** The words of the commands as a script for zsh: to be sourced, or as `_plateau` in a folder of fpath. */
import type { Place, TypedCommand, TypedFlag } from "./words.ts";

export function zshScript(commands: readonly TypedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
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
${commands.map(commandCase).join("\n")}
  esac
}
if [[ $funcstack[1] == _plateau ]]; then _plateau "$@"; else compdef _plateau plateau; fi
`;
}

function commandCase({ name, flags, operands }: TypedCommand): string {
  const specs = [
    ...flags.map(flagSpec),
    ...operands.map(({ isMany, ...place }, i) =>
      quoted(`${isMany ? "*" : i + 1}:${placeSpec(place)}`)
    ),
  ];
  return `    ${name})\n      _arguments -S \\\n${
    specs.map((spec) => `        ${spec}`).join(" \\\n")
  }\n      ;;`;
}

/** `'(-c --connections)'{-c,--connections}'[about]:N:'`. */
function flagSpec({ names, about, value, isRepeatable }: TypedFlag): string {
  const others = isRepeatable ? "'*'" : quoted(`(${names.join(" ")})`);
  const either = names.length > 1 ? `{${names.join(",")}}` : names[0];
  const told = `[${escaped(about)}]${value === null ? "" : `:${placeSpec(value)}`}`;
  return others + either + quoted(told);
}

function placeSpec({ name, words, isFile }: Place): string {
  const files = "_files";
  const choices = `(${words.join(" ")})`;
  const action = words.length > 0
    ? isFile ? `{_alternative "words:word:${choices}" "files:file:${files}"}` : choices
    : isFile
    ? files
    : " ";
  return `${escaped(name)}:${action}`;
}

/** What means something in a specification of zsh. */
function escaped(text: string): string {
  return text.replace(/[\\[\]:]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
