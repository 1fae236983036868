/** `plateau agents`: lists the agents that are registered in a Redis database. */
import { EXIT } from "../../base/errors.ts";
import { VERSION } from "../../base/version.ts";
import { formatCount, formatNumber } from "../../report/writing/units.ts";
import { type ColumnOf, tableOf } from "../../report/subjects/tables/table.ts";
import { BLANK, lineOf } from "../../report/render/terminal/line.ts";
import { tableLines } from "../../report/render/terminal/table.ts";
import { jsonText } from "../../report/writing/json.ts";
import { type TerminalOptions, textLines, writtenLines } from "../../report/writing/terminal.ts";
import type { Written } from "../../report/writing/written.ts";
import { roster } from "../../runner/fleet/coordinator/roster.ts";
import type { Presence } from "../../runner/fleet/protocol/agent_message.ts";
import { connectRedis } from "../../targets/redis/client.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { fleetRedis, redisAccessFlags, redisConflicts } from "../flags/fleet_flags.ts";
import { outputConflicts, outputFlags, writeFile } from "../flags/output_flags.ts";
import { redisFlag } from "../flags/values.ts";
import { print, terminalOptions } from "../terminal/terminal.ts";

export const agentsCommand = defineCommand({
  parts: {
    ...redisFlag,
    redis: {
      ...redisFlag.redis,
      about: "Redis in which the agents are registered; also set by REDIS_URL",
    },
    ...redisAccessFlags,
    json: { ...outputFlags.json, about: "The agents as JSON; - is standard output" },
  },
  conflicts: (given) => [...redisConflicts(given), ...outputConflicts(given)],
  async run({ json, ...named }): Promise<number> {
    const { url, caCerts } = fleetRedis(named);
    const client = await connectRedis(url, { caCerts });
    try {
      const present = await roster(client);
      const data = jsonText({ version: VERSION, agents: present }, 2);
      if (json !== undefined && json !== "-") await writeFile(json, data);
      await print(json === "-" ? data : renderRoster(present, terminalOptions()));
      return EXIT.done;
    } finally {
      client.destroy();
    }
  },
});

const HOW_TO_START = "start one with: plateau agent --redis URL";

export function renderRoster(
  present: readonly Presence[],
  options: TerminalOptions,
): Written<"terminal"> {
  if (present.length === 0) {
    return textLines([`No agent is registered in this Redis; ${HOW_TO_START}`]);
  }
  const others = present.filter(({ version }) => version !== VERSION).length;
  const table = tableOf({ caption: "" }, present, COLUMNS);
  // On a narrow terminal, wrapped lines are better than a table without its last columns.
  const lines = tableLines(table, { ...options, width: Infinity });
  const note = `! Only agents of version ${VERSION}, which this Plateau has, can take its loads.`;
  return writtenLines([...lines, ...others === 0 ? [] : [BLANK, lineOf(note)]], options);
}

const COLUMNS: readonly ColumnOf<Presence>[] = [
  { label: "agent", kind: "name", cell: ({ name }) => ({ text: name }) },
  {
    label: "state",
    kind: "text",
    cell: ({ coordinator }) => ({
      text: coordinator === null ? "idle" : `working for ${coordinator}`,
    }),
  },
  {
    label: "version",
    kind: "text",
    cell: ({ version }) =>
      version === VERSION ? { text: version } : { text: `${version} !`, alarming: true },
  },
  { label: "host", kind: "text", cell: ({ host }) => ({ text: host }) },
  { label: "cores", cell: ({ cores }) => ({ text: formatCount(cores) }) },
  {
    label: "open files",
    cell: ({ openFiles }) => ({ text: openFiles === null ? "-" : formatCount(openFiles) }),
  },
  { label: "workers", cell: ({ workers }) => ({ text: formatCount(workers) }) },
  { label: "driver", kind: "text", cell: ({ driver }) => ({ text: driver }) },
  {
    label: "peak",
    unit: "/s per worker",
    cell: ({ peakThroughput }) => ({
      text: peakThroughput === null ? "-" : formatCount(Math.round(peakThroughput)),
    }),
  },
  {
    label: "clock",
    unit: "ms",
    kind: "text",
    cell: ({ clock: { offsetMs, uncertaintyMs } }) => ({
      text: `${hundredths(offsetMs)} ± ${hundredths(uncertaintyMs)}`,
    }),
  },
  { label: "may load", kind: "text", cell: ({ allow }) => ({ text: allow.join(", ") }) },
];

function hundredths(ms: number): string {
  return formatNumber(Math.round(ms * 100) / 100 || 0, 2);
}
