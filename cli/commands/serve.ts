/** `plateau serve APP`: serves one of the built-in apps until a signal ends it. */
import { integerText } from "../../base/quantity.ts";
import * as z from "zod";
import { EXIT } from "../../base/errors.ts";
import { appNames } from "../../base/target/app_settings.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { serveApp } from "../../targets/apps/serve.ts";
import { reportCounters } from "../../targets/observe/runtime/own_counters.ts";
import { bindToParent } from "../../targets/launch/parent_death.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { passwordConflicts, redisFlag, redisUrlOf, settings } from "../flags/values.ts";
import { interruptible, untilThere } from "../terminal/process.ts";
import { print } from "../terminal/terminal.ts";

export const serveCommand = defineCommand({
  parts: {
    app: { operand: "<APP>", about: `One of ${appNames.join(", ")}`, schema: z.enum(appNames) },
    port: {
      flags: "-p, --port <N>",
      about: "Port to listen on; 0 picks a free one",
      preset: "0",
      schema: integerText(z.int().min(0).max(65_535)),
    },
    sharePort: {
      flags: "--share-port",
      about: "Allows other processes to listen on the same port (Linux)",
      schema: z.boolean().default(false),
    },
    host: {
      flags: "--host <H>",
      about: "Address to listen on; 0.0.0.0 serves other machines",
      preset: "127.0.0.1",
      schema: z.string().min(1),
    },
    set: {
      flags: "--set <key=value>",
      about: "Setting of the app (plateau list apps shows them); may be repeated",
      repeatable: true,
      schema: settings,
    },
    ...redisFlag,
  },
  conflicts: passwordConflicts,
  run({ app, port, sharePort: shared, host, set, ...named }): Promise<number> {
    bindToParent();
    return interruptible(async (signal) => {
      reportCounters();
      const redisUrl = redisUrlOf(named);
      const start = serveApp({ app, port, shared, host, set, redisUrl });
      const served = await untilThere(start, signal);
      signal.addEventListener("abort", () => void served.close());
      await print(textLines([`listening ${served.origin}`]));
      await served.finished;
      return EXIT.done;
    });
  },
});
