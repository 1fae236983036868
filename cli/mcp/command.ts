/** `plateau mcp`: offers commands as tools of the Model Context Protocol, over standard input and output. */
import * as z from "zod";
import { EXIT } from "../../base/errors.ts";
import { LIMITS, mostOf } from "../../base/limits.ts";
import { allowedHost, LOOPBACK_HOSTS } from "../../runner/fleet/agent/allow.ts";
import { jsonText } from "../../report/writing/json.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { aborted, untilSignal } from "../terminal/process.ts";
import { print } from "../terminal/terminal.ts";
import { callProgram } from "./call.ts";
import { type Tool, ToolServer } from "./protocol.ts";
import { type CommandTool, TOOLS } from "./tools.ts";

const hosts = z.string().transform((text) => text.split(",")).pipe(z.array(allowedHost));

export const mcpCommand = defineCommand({
  parts: {
    allowHost: {
      flags: "--allow-host <HOST,…>",
      about:
        "Hosts, addresses and networks (10.0.0.0/8) that may be loaded, besides this machine; " +
        "may be repeated",
      repeatable: true,
      schema: z.array(hosts).default([]),
    },
  },
  more: `A client of the Model Context Protocol starts this command. Its tools are ${
    TOOLS.map(({ name }) => name).join(", ")
  };
each returns the figures of its command's --json. Paths are relative to the folder in which plateau mcp was started.
Targets of an experiment are programs, which run with your rights: let your client ask before it calls run.`,
  run({ allowHost }): Promise<number> {
    return untilSignal(async (signal) => {
      const allowed = [...LOOPBACK_HOSTS, ...allowHost.flat()];
      let sent = Promise.resolve();
      const server = new ToolServer(toolsFor(allowed), (message) => {
        sent = sent.then(() => print(jsonText(message)));
      });
      await Promise.race([serve(server), aborted(signal)]);
      await server.end();
      await sent;
      return EXIT.done;
    });
  },
});

function toolsFor(hosts: readonly string[]): Tool[] {
  let before: Promise<unknown> = Promise.resolve();
  return TOOLS.map(({ isMeasuring, line, ...tool }: CommandTool) => ({
    ...tool,
    isReading: !isMeasuring,
    call: ({ figures = true, ...input }, call) => {
      const start = (): ReturnType<Tool["call"]> =>
        callProgram(line(input), { hosts, wantsFigures: figures === true }, call);
      if (!isMeasuring) return start();
      const own = before.then(() =>
        call.signal.aborted ? { text: "Cancelled", isError: true } : start()
      );
      before = own.catch(() => {});
      return own;
    },
  }));
}

const TOO_LONG = -32_600;

/** Serves until the client closes standard input. */
async function serve(server: ToolServer): Promise<void> {
  let rest = "";
  let isSkipping = false;
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const [first, ...others] = text.split("\n");
    rest += first;
    for (const next of others) {
      if (!isSkipping) server.receive(rest);
      isSkipping = false;
      rest = next;
    }
    if (rest.length <= LIMITS.toolRequest.most) continue;
    if (!isSkipping) {
      server.refuse(
        TOO_LONG,
        `Cannot accept a message of more than ${mostOf("toolRequest")} characters`,
      );
    }
    isSkipping = true;
    rest = "";
  }
}
