/** `plateau agent`: takes this machine's share of each load from a Redis queue, and generates it. */
import { resolve } from "node:path";
import process from "node:process";
import * as z from "zod";
import { EXIT, messageOf, UserError } from "../../base/errors.ts";
import { counted } from "../../report/writing/words.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { Agent } from "../../runner/fleet/agent/agent.ts";
import { allowedHost, LOOPBACK_HOSTS } from "../../runner/fleet/agent/allow.ts";
import { agentName } from "../../runner/fleet/protocol/agent_message.ts";
import { workers } from "../../scenarios/load/load_shape.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { quietFlag } from "../flags/flags.ts";
import { fleetRedis, redisAccessFlags, redisConflicts } from "../flags/fleet_flags.ts";
import { integerText } from "../../base/quantity.ts";
import { redisFlag } from "../flags/values.ts";
import { aborted, untilSignal } from "../terminal/process.ts";
import { printError, terminalOptions } from "../terminal/terminal.ts";
import { quotedOpenly } from "../../base/secrets.ts";

const hosts = z.string().transform((text) => text.split(",")).pipe(z.array(allowedHost));

export const agentCommand = defineCommand({
  parts: {
    ...redisFlag,
    redis: {
      ...redisFlag.redis,
      about: "Redis from which the agent takes loads; also set by REDIS_URL",
    },
    ...redisAccessFlags,
    name: {
      flags: "--name <A>",
      about: "Name of the agent (default: host name and process id)",
      schema: agentName.optional(),
    },
    workers: {
      flags: "-w, --workers <N>",
      about: "Worker threads (default: one fewer than the cores)",
      schema: integerText(workers).optional(),
    },
    allow: {
      flags: "--allow <HOST,…>",
      about:
        "Hosts, addresses and networks (10.0.0.0/8) that the agent may load; unix allows unix sockets",
      preset: LOOPBACK_HOSTS.join(","),
      schema: hosts,
    },
    log: {
      flags: "--log <DIR>",
      about: "Writes a request log of every run into this folder",
      schema: z.string().min(1).optional(),
    },
    ...quietFlag,
  },
  conflicts: redisConflicts,
  run({ name = ownName(), workers, allow, log, quiet, ...named }): Promise<number> {
    return untilSignal(async (signal) => {
      const logFolder = log === undefined ? null : await makeFolder(log);
      const onNote = (text: string): void =>
        quiet ? undefined : printError(textLines([text], terminalOptions(Deno.stderr)));
      const own = workers ?? Math.max(1, navigator.hardwareConcurrency - 1);
      const options = { ...fleetRedis(named), name, workers: own, allow, logFolder };
      const agent = await Agent.start({ ...options, onNote, signal });
      onNote(
        `agent ${name} is ready: ${counted(own, "worker")}, allowed to load ${allow.join(", ")}`,
      );
      await aborted(signal);
      const { isAtWork } = agent;
      await agent.end();
      return isAtWork ? EXIT.interrupted : EXIT.done;
    });
  },
});

/** A name from the machine's name and the process ID, with only characters that an agent's name may have. */
function ownName(): string {
  const pid = `-${process.pid}`;
  const host = Deno.hostname().replace(/[^a-z0-9._-]/gi, "-").replace(/^[^a-z0-9]+/i, "");
  return (host.slice(0, 64 - pid.length) || "agent") + pid;
}

async function makeFolder(path: string): Promise<string> {
  try {
    await Deno.mkdir(path, { recursive: true });
    return resolve(path);
  } catch (error) {
    const message = `Cannot make the folder ${quotedOpenly(path)}: ${messageOf(error)}`;
    throw new UserError([{ place: "--log", message }]);
  }
}
