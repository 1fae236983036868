/** The commands by name. Each is loaded only when it is asked for: start-up time is part of every run. */
import { beginWorker } from "../runner/load/worker/begun_worker.ts";
import type { Command } from "./command_line/command.ts";
import type { DeclaredCommand } from "./completions/scripts.ts";

interface RegisteredCommand {
  /** One line for `plateau --help`; "" hides it. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const commands = {
  run: {
    summary: "Runs an experiment and writes its report",
    load: async () => {
      beginWorker();
      return (await import("./commands/run.ts")).runCommand;
    },
  },
  bench: {
    summary: "Measures one URL, in the manner of wrk and oha",
    load: async () => {
      beginWorker();
      return (await import("./commands/bench.ts")).benchCommand;
    },
  },
  agent: {
    summary: "Waits at a Redis for loads, and sends its share of them",
    load: async () => {
      beginWorker();
      return (await import("./commands/agent.ts")).agentCommand;
    },
  },
  agents: {
    summary: "Lists the agents that wait at a Redis",
    load: async () => (await import("./commands/agents.ts")).agentsCommand,
  },
  serve: {
    summary: "Starts one built-in app",
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  report: {
    summary: "Renders the report of results again",
    load: async () => (await import("./commands/report.ts")).reportCommand,
  },
  compare: {
    summary: "Compares two results, with an interval and a verdict for each cell",
    load: async () => (await import("./commands/compare.ts")).compareCommand,
  },
  list: {
    summary: "Shows the built-in experiments, apps and frameworks",
    load: async () => (await import("./commands/list.ts")).listCommand,
  },
  init: {
    summary: "Writes a commented experiment file to start from",
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
  check: {
    summary: "Tells what an experiment would run, or what is wrong with it",
    load: async () => (await import("./commands/check.ts")).checkCommand,
  },
  doctor: {
    summary: "Tells whether this machine is fit to measure on",
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
  schema: {
    summary: "Prints the JSON Schema of a file",
    load: async () => (await import("./commands/schema.ts")).schemaCommand,
  },
  setup: {
    summary: "Installs the servers of the frameworks study",
    load: async () => (await import("./commands/setup.ts")).setupCommand,
  },
  completions: {
    summary: "Prints a script by which a shell completes what you type",
    load: async (): Promise<Command> =>
      (await import("./commands/completions.ts")).completionsCommand(declaredCommands),
  },
  gateway: {
    summary: "",
    load: async () => (await import("./commands/gateway.ts")).gateway,
  },
  supervise: {
    summary: "",
    load: async (): Promise<Command> => {
      const { supervise } = await import("../targets/launch/supervisor.ts");
      return { execute: ([, ...command]) => supervise(command) };
    },
  },
} satisfies Record<string, RegisteredCommand>;

export type CommandName = keyof typeof commands;

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** All that people type, loaded. */
async function declaredCommands(): Promise<DeclaredCommand[]> {
  const entries: [string, RegisteredCommand][] = Object.entries(commands);
  const loaded = await Promise.all(entries.map(async ([name, { summary, load }]) => {
    const { parts } = await load();
    return parts && summary !== "" ? [{ name, summary, parts }] : [];
  }));
  return loaded.flat();
}

/** Those that the help shows. */
export function listedCommands(): { name: string; summary: string }[] {
  return Object.entries(commands)
    .map(([name, { summary }]) => ({ name, summary }))
    .filter(({ summary }) => summary !== "");
}
