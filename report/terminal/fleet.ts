/** The agents of a fleet in the live view: each with its rate, or, of many, a summary. Pure. */
import type { LiveAgent } from "../../runner/result/progress.ts";
import { formatDuration, formatNumber } from "../model/numbers/units.ts";
import { counted } from "../model/numbers/words.ts";
import { fitted, padStart, widthOf } from "../writing/columns.ts";
import type { TerminalOptions, TextLine, TextSpan } from "../writing/terminal.ts";
import { cell } from "./line.ts";
import { withoutCommon } from "./table.ts";

/** As long as it takes until an agent counts as lost after the end. */
const SILENT_MS = 2_000;
const MOST_SHOWN = 8;
const MOST_LINES = 2;
const LEAST_NAME = 4;
const GAP = 3;

interface FleetLayout extends Pick<TerminalOptions, "unicode"> {
  readonly width: number;
  readonly labelColumns: number;
}

export function fleetLines(agents: readonly LiveAgent[], room: FleetLayout): TextLine[] {
  if (agents.length === 0) return [];
  const rows = agents.length > MOST_SHOWN
    ? [summary(agents)]
    : agentRows(agents, room.width - room.labelColumns - 2, room.unicode);
  return rows.map((row, i) => [
    cell(i === 0 ? "Agents" : "", room.labelColumns, "dim"),
    { text: "  " },
    ...row,
  ]);
}

/** In columns, as many as fit; names are shortened where they would need more lines, first by their common beginning. */
function agentRows(agents: readonly LiveAgent[], width: number, unicode: boolean): TextSpan[][] {
  const values = agents.map(valueOf);
  const valueWidth = Math.max(...values.map(widthOf));
  const least = Math.ceil(agents.length / MOST_LINES);
  const most = Math.floor((width + GAP) / least) - GAP - valueWidth - 1;
  const whole = agents.map(({ name }) => name);
  const names = whole.some((name) => widthOf(name) > most) ? withoutCommon(whole) : whole;
  const nameWidth = Math.min(Math.max(...names.map(widthOf)), Math.max(LEAST_NAME, most));
  const columns = Math.max(least, Math.floor((width + GAP) / (nameWidth + 1 + valueWidth + GAP)));
  const pieces = agents.map((agent, i): TextSpan[] => [
    cell(`${fitted(names[i], nameWidth, unicode)} `, nameWidth + 1),
    { text: padStart(values[i], valueWidth), style: isSilent(agent) ? "red" : "bold" },
    { text: " ".repeat(GAP) },
  ]);
  return Array.from(
    { length: Math.ceil(agents.length / columns) },
    (_, row) => pieces.slice(row * columns, (row + 1) * columns).flat(),
  );
}

function valueOf(agent: LiveAgent): string {
  return isSilent(agent) ? "silent" : `${formatNumber(Math.round(agent.ratePerSec))}/s`;
}

function isSilent({ silentMs }: LiveAgent): boolean {
  return silentMs >= SILENT_MS;
}

/** `12 agents, slowest n7 900/s, 1 silent (n3 for 4 s)` */
function summary(agents: readonly LiveAgent[]): TextSpan[] {
  const reporting = agents.filter((agent) => !isSilent(agent));
  const silent = agents.filter(isSilent);
  const count = { text: counted(agents.length, "agent") };
  if (reporting.length === 0) return [count, { text: ", all silent", style: "red" }];
  const slowest = reporting.reduce((a, b) => b.ratePerSec < a.ratePerSec ? b : a);
  const pieces: TextSpan[] = [
    count,
    { text: `, slowest ${slowest.name} ` },
    { text: valueOf(slowest), style: "bold" },
  ];
  if (silent.length === 0) return pieces;
  const longest = silent.reduce((a, b) => b.silentMs > a.silentMs ? b : a);
  const forText = `${longest.name} for ${formatDuration(Math.floor(longest.silentMs / 1_000))}`;
  return [...pieces, { text: `, ${silent.length} silent (${forText})`, style: "red" }];
}
