/** The commands by name. Only the called command is imported, so that every call of Plateau starts fast. */
import { beginWorker } from "../runner/load/worker/begun_worker.ts";
import type { Command } from "./command_line/command.ts";
import type { DeclaredCommand } from "./completions/scripts.ts";

interface RegisteredCommand {
  /** Summary in `plateau --help`; if it is "", the help omits the command. */
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
    summary: "Measures one URL, like wrk or oha",
    load: async () => {
      beginWorker();
      return (await import("./commands/bench.ts")).benchCommand;
    },
  },
  capacity: {
    summary: "Finds the highest rate at which rules hold",
    load: async () => {
      beginWorker();
      return (await import("./capacity/command.ts")).capacityCommand;
    },
  },
  ab: {
    summary: "Compares two commits: builds both and measures them in turn",
    load: async () => {
      beginWorker();
      return (await import("./ab/command.ts")).abCommand;
    },
  },
  versus: {
    summary: "Compares two running servers by loading them in turn",
    load: async () => {
      beginWorker();
      return (await import("./versus/command.ts")).versusCommand;
    },
  },
  plan: {
    summary: "Says how small a change this machine can show, in how many runs",
    load: async () => {
      beginWorker();
      return (await import("./plan/command.ts")).planCommand;
    },
  },
  agent: {
    summary: "Runs as a load agent: takes its share of loads from a Redis queue",
    load: async () => {
      beginWorker();
      return (await import("./commands/agent.ts")).agentCommand;
    },
  },
  agents: {
    summary: "Lists the load agents that are registered in a Redis",
    load: async () => (await import("./commands/agents.ts")).agentsCommand,
  },
  serve: {
    summary: "Starts one built-in app",
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  report: {
    summary: "Renders the report page from saved results",
    load: async () => (await import("./commands/report.ts")).reportCommand,
  },
  compare: {
    summary: "Compares two results: ratio, interval and verdict of each cell",
    load: async () => (await import("./commands/compare.ts")).compareCommand,
  },
  list: {
    summary: "Shows the built-in experiments, apps and frameworks",
    load: async () => (await import("./commands/list.ts")).listCommand,
  },
  init: {
    summary: "Writes an experiment file for your server, or an example",
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
  check: {
    summary: "Validates an experiment file and prints its planned runs",
    load: async () => (await import("./commands/check.ts")).checkCommand,
  },
  doctor: {
    summary: "Checks whether this machine is fit to measure on",
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
  schema: {
    summary: "Prints the JSON Schema of a kind of file, such as experiments",
    load: async () => (await import("./commands/schema.ts")).schemaCommand,
  },
  setup: {
    summary: "Installs the servers of the frameworks study",
    load: async () => (await import("./commands/setup.ts")).setupCommand,
  },
  explain: {
    summary: "Explains results, or the code of a finding or an advice",
    load: async () => (await import("./commands/explain.ts")).explainCommand,
  },
  mcp: {
    summary: "Offers check, bench, run, compare, explain to a model (MCP)",
    load: async () => (await import("./mcp/command.ts")).mcpCommand,
  },
  completions: {
    summary: "Prints the completion script for a shell",
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

type CommandName = keyof typeof commands;

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** Imports and returns every command that the help lists. */
export async function declaredCommands(): Promise<DeclaredCommand[]> {
  const entries: [string, RegisteredCommand][] = Object.entries(commands);
  const loaded = await Promise.all(entries.map(async ([name, { summary, load }]) => {
    const { parts, more } = await load();
    return parts && summary !== "" ? [{ name, summary, parts, more }] : [];
  }));
  return loaded.flat();
}

/** The names and summaries of the commands that the help lists. */
export function listedCommands(): { name: string; summary: string }[] {
  return Object.entries(commands)
    .map(([name, { summary }]) => ({ name, summary }))
    .filter(({ summary }) => summary !== "");
}
