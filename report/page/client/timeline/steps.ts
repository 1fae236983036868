/// <reference lib="dom" />
/** The intervals of a scenario, unpacked at first use. */
import { unpackSteps } from "../../../model/charts/packing.ts";
import { rangeFigures, type TimedSteps } from "../../../model/charts/time_range.ts";
import { type DisplayUnit, timeUnit } from "../../../model/numbers/units.ts";
import { scriptText } from "../charts/page_data.ts";

export interface StepsOfCell extends TimedSteps {
  readonly label: string;
  readonly color: number;
  /** One for each of the runs. */
  readonly repetitions: readonly number[];
}

export interface Steps {
  /** In the order of the section's timelines. */
  readonly cells: readonly StepsOfCell[];
  /** For their latencies: that of the whole runs, so that it stays while somebody selects. */
  readonly unit: DisplayUnit;
}

export async function stepsOf(section: string): Promise<Steps> {
  await parsed();
  const { cells: named, packed }: PackedIntervals = JSON.parse(
    scriptText(`intervals-${section}`) ?? "",
  );
  const runs = unpackSteps(await inflated(packed));
  const cells = named.map((cell, i) => ({ ...cell, runs: runs[i] }));
  const medians = cells.map((cell) => rangeFigures(cell, null, [50]).percentiles[0]?.ms ?? 0);
  return { cells, unit: timeUnit(medians) };
}

/** The intervals stand at the end of the page, which may still be on its way. */
function parsed(): Promise<unknown> | null {
  return document.readyState === "loading"
    ? new Promise((resolve) => addEventListener("DOMContentLoaded", resolve))
    : null;
}

interface PackedIntervals {
  readonly cells: readonly Omit<StepsOfCell, "runs">[];
  readonly packed: string;
}

async function inflated(base64: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
