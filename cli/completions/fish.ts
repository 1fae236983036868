/** The words of the commands as a script for fish. */
import type { Place, TypedCommand, TypedFlag } from "./words.ts";

export function fishScript(commands: readonly TypedCommand[]): string {
  const lines = commands.flatMap((command) => {
    const { name, summary, flags, operands } = command;
    return [
      `complete -c plateau -n '__plateau_at' -f -a ${name} -d ${quoted(summary)}`,
      ...flags.map((flag) => `${lineOf(name)} ${flagOptions(flag)}`),
      ...operands.map((operand) => `${lineOf(name)} ${valueOptions(operand)}`),
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

function lineOf(command: string): string {
  return `complete -c plateau -n '__plateau_at ${command}'`;
}

function flagOptions({ names, about, value }: TypedFlag): string {
  const options = names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`
  );
  const taken = value === null ? [] : [`-r ${valueOptions(value)}`];
  return [...options, ...taken, `-d ${quoted(about)}`].join(" ");
}

function valueOptions({ words, isFile }: Place): string {
  const choices = words.length > 0 ? [`-a ${quoted(words.join(" "))}`] : [];
  return [isFile ? "-F" : "-f", ...choices].join(" ");
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
