/** A command from its declaration. */
import { textLines } from "../../report/writing/terminal.ts";
import { VERSION } from "../../base/version.ts";
import { EXIT } from "../../base/errors.ts";
import { helpLines, readArguments } from "./arguments.ts";
import type { Command, CommandSpec, Parts } from "./command.ts";
import { keepGivenSecrets, openPasswordNote } from "./secret_arguments.ts";
import { print, printError } from "../terminal/terminal.ts";

export function defineCommand<P extends Parts>(spec: CommandSpec<P>): Command {
  return {
    parts: spec.parts,
    async execute(args, title): Promise<number> {
      keepGivenSecrets(args);
      const read = readArguments(spec, title, args);
      if (read.asks === "values") {
        const note = openPasswordNote(args);
        if (note !== null && !Reflect.get(read.values, "quiet")) printError(textLines([note]));
        return await spec.run(read.values, args);
      }
      await print(textLines(read.asks === "help" ? helpLines(spec, title) : [VERSION]));
      return EXIT.done;
    },
  };
}
