/** The words of the commands as a script for bash, from 3.2 on. */
import type { Place, TypedCommand } from "./words.ts";

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
${commands.flatMap(valueCases).join("\n")}
    *)
      case "$command" in
${commands.map(commandCase).join("\n")}
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
function valueCases({ name, flags }: TypedCommand): string[] {
  const cases = flags.flatMap(({ names, value }) =>
    value === null ? [] : [{ names, action: actionOf(value) }]
  );
  return [...Map.groupBy(cases, ({ action }) => action)].map(([action, alike]) => {
    const typed = alike.flatMap(({ names }) => names).map((flag) => `"${name} ${flag}"`);
    return `    ${typed.join(" | ")}) ${action} ;;`;
  });
}

function actionOf({ words, isFile }: Place): string {
  if (words.length > 0) return `words="${words.join(" ")}"`;
  return isFile ? ":" : "compopt +o default +o bashdefault 2>/dev/null";
}

function commandCase({ name, flags, operands }: TypedCommand): string {
  const options = flags.flatMap(({ names }) => names).join(" ");
  const words = operands.flatMap(({ words }) => words).join(" ");
  return `        ${name}) if [[ $cur == -* ]]; then words="${options}"; else words="${words}"; fi ;;`;
}
