/** `plateau completions SHELL`: prints a script that lets a shell complete commands, options and their values. */
import * as z from "zod";
import { textLines } from "../../report/writing/terminal.ts";
import { EXIT } from "../../base/errors.ts";
import { experiments } from "../../scenarios/experiments/registry.ts";
import type { Command } from "../command_line/command.ts";
import {
  bashScript,
  type DeclaredCommand,
  fishScript,
  typedCommand,
  zshScript,
} from "../completions/scripts.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { print } from "../terminal/terminal.ts";

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function completionScript(
  shell: keyof typeof shells,
  declared: readonly DeclaredCommand[],
): string {
  const known = { EXPERIMENT: Object.keys(experiments) };
  return shells[shell](declared.map((command) => typedCommand(command, known)));
}

const names = ["bash", "zsh", "fish"] as const satisfies readonly (keyof typeof shells)[];

/** @param declared Returns all commands, including `completions` itself. */
export function completionsCommand(declared: () => Promise<readonly DeclaredCommand[]>): Command {
  return defineCommand({
    parts: {
      shell: {
        operand: "<SHELL>",
        about: `One of ${names.join(", ")}`,
        schema: z.enum(names),
      },
    },
    more:
      `The program has to be on your PATH as plateau. Put one of these into the file that the shell
reads when it starts:
  bash, ~/.bashrc                    source <(plateau completions bash)
  zsh, ~/.zshrc, after compinit      source <(plateau completions zsh)
  fish, ~/.config/fish/config.fish   plateau completions fish | source`,
    async run({ shell }): Promise<number> {
      const script = completionScript(shell, await declared());
      await print(textLines(script.trimEnd().split("\n")));
      return EXIT.done;
    },
  });
}
