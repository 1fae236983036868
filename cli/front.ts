/** Hidden: `front PORT` is a caching proxy or balancer of ours, which Plateau starts in front of targets. */
import { EXIT } from "../scenarios/errors.ts";
import { serveFront } from "../targets/front/serve.ts";
import { FRONT_SETTINGS, frontSettings } from "../targets/front/settings.ts";
import { bindToParent } from "../targets/launch/bond.ts";
import type { Command } from "./command.ts";
import { interruptible } from "./interrupt.ts";
import { print } from "./terminal.ts";

export const front: Command = {
  execute([port]): Promise<number> {
    const told = new Lines();
    bindToParent((text) => told.add(text));
    return interruptible(async (signal) => {
      const settings = frontSettings.parse(JSON.parse(Deno.env.get(FRONT_SETTINGS) ?? "null"));
      const served = await serveFront(settings, { hostname: "127.0.0.1", port: Number(port) });
      told.onLine = served.tell;
      await print(`listening ${served.origin}\n`);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await served.close();
      return EXIT.done;
    });
  },
};

/** Text as it comes, in lines. */
class Lines {
  #begun = "";
  onLine: (line: string) => void = () => {};

  add(text: string): void {
    const lines = (this.#begun + text).split("\n");
    this.#begun = lines.pop() ?? "";
    for (const line of lines) this.onLine(line);
  }
}
