/** Cores of a machine as Linux writes them: numbers and ranges, such as `0-3,6`. */

const LIST = /^\d{1,4}(?:-\d{1,4})?(?:,\d{1,4}(?:-\d{1,4})?)*$/;

/** The cores in ascending order, each once; null when `text` is no such list, or a range goes down. */
export function parseCores(text: string): number[] | null {
  const plain = text.replaceAll(" ", "");
  if (!LIST.test(plain)) return null;
  const ranges = plain.split(",").map((part) => part.split("-").map(Number));
  if (ranges.some(([first, last = first]) => last < first)) return null;
  const cores = ranges.flatMap(([first, last = first]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index)
  );
  return [...new Set(cores)].sort((a, b) => a - b);
}

/** The list that `parseCores` reads: `0-3,6`. */
export function coresText(cores: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const core of cores) {
    const range = ranges[ranges.length - 1];
    if (range !== undefined && core === range[1] + 1) range[1] = core;
    else ranges.push([core, core]);
  }
  return ranges.map(([first, last]) => first === last ? `${first}` : `${first}-${last}`).join(",");
}
