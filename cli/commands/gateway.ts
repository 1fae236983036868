/**
 * `plateau gateway PORT HOST` (not in the help): runs Plateau's own caching proxy or load balancer, which Plateau
 * starts in front of targets.
 */
import { textLines } from "../../report/writing/terminal.ts";
import { EXIT } from "../../base/errors.ts";
import { serveGateway } from "../../targets/serve_gateway.ts";
import { gatewaySettings } from "../../targets/gateways/gateway.ts";
import { reportCounters } from "../../targets/observe/runtime/own_counters.ts";
import { bindToParent } from "../../targets/launch/parent_death.ts";
import type { Command } from "../command_line/command.ts";
import { aborted, interruptible, untilThere } from "../terminal/process.ts";
import { print } from "../terminal/terminal.ts";

export const gateway: Command = {
  execute([port, hostname]): Promise<number> {
    const input = new Lines();
    bindToParent((text) => input.add(text));
    return interruptible(async (signal) => {
      reportCounters();
      const start = input.first.then((line) =>
        serveGateway(gatewaySettings.parse(JSON.parse(line)), { hostname, port: Number(port) })
      );
      const served = await untilThere(start, signal);
      input.onLine = served.receive;
      await print(textLines([`listening ${served.origin}`]));
      await aborted(signal);
      await served.close();
      return EXIT.done;
    });
  },
};

/** Splits text into lines as it arrives. */
class Lines {
  #begun = "";
  readonly #first = Promise.withResolvers<string>();
  readonly first = this.#first.promise;
  /**
   * Receives each complete line. Initially resolves `first`. Once `first` is resolved, it must be replaced, or later
   * lines are lost.
   */
  onLine: (line: string) => void = this.#first.resolve;

  add(text: string): void {
    const lines = (this.#begun + text).split("\n");
    this.#begun = lines.pop() ?? "";
    for (const line of lines) this.onLine(line);
  }
}
