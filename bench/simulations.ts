/** `statistics.ts` is a program of its own with a table of its own; it says by its exit code whether all is kept. */
import { fileURLToPath } from "node:url";
import { atMost } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";

export const statistics: Bench = {
  about: "how often the statistics are right, where the truth is known",
  rounds: 1,
  async run(): Promise<Section[]> {
    const program = fileURLToPath(new URL("statistics.ts", import.meta.url));
    const command = new Deno.Command(Deno.execPath(), { args: ["run", "-A", program] });
    const { code } = await command.spawn().status;
    const row = { what: "exit code", samples: [code], bar: atMost(0) };
    return [{ caption: "Statistics, as above", unit: "0 when all is kept", rows: [row] }];
  },
};
