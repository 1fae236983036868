/** Hidden: `front PORT HOST` is a caching proxy or balancer of ours, which Plateau starts in front of targets. */
import { textLines } from "../../report/writing/terminal.ts";
import { EXIT } from "../../base/errors.ts";
import { serveFront } from "../../targets/front/serve.ts";
import { frontSettings } from "../../targets/front/settings.ts";
import { bindToParent } from "../../targets/launch/bond.ts";
import type { Command } from "../command_line/command.ts";
import { aborted, interruptible, untilThere } from "../terminal/process.ts";
import { print } from "../terminal/terminal.ts";

export const front: Command = {
  execute([port, hostname]): Promise<number> {
    const told = new Lines();
    bindToParent((text) => told.add(text));
    return interruptible(async (signal) => {
      const start = told.first.then((line) =>
        serveFront(frontSettings.parse(JSON.parse(line)), { hostname, port: Number(port) })
      );
      const served = await untilThere(start, signal);
      told.onLine = served.tell;
      await print(textLines([`listening ${served.origin}`]));
      await aborted(signal);
      await served.close();
      return EXIT.done;
    });
  },
};

/** Text as it comes, in lines. */
class Lines {
  #begun = "";
  readonly #first = Promise.withResolvers<string>();
  readonly first = this.#first.promise;
  /** Takes the lines after the first. */
  onLine: (line: string) => void = this.#first.resolve;

  add(text: string): void {
    const lines = (this.#begun + text).split("\n");
    this.#begun = lines.pop() ?? "";
    for (const line of lines) this.onLine(line);
  }
}
