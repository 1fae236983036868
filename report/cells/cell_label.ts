/** Labels of cells: their target and the values of its factors. */
import type { Run } from "../../runner/result/result.ts";

/** `hono`, or `hono · connections 50 · delay 100ms` when factors vary. */
export function cellLabel(cell: Pick<Run, "target" | "parameters">): string {
  return cellParts(cell).join(" · ");
}

/** The parts that `cellLabel` joins: the target, and each factor with its value. */
export function cellParts({ target, parameters }: Pick<Run, "target" | "parameters">): string[] {
  const texts = settingParts(parameters).map(({ name, value }) => `${name} ${value}`);
  return [target, ...texts].filter(Boolean);
}

/** `connections 50 · delay 100ms`; "" where no factor varies. */
export function settingLabel(parameters: Run["parameters"]): string {
  return cellParts({ target: "", parameters }).join(" · ");
}

interface SettingPart {
  /** Name of the factor. */
  readonly name: string;
  readonly value: string;
}

export function settingParts(parameters: Run["parameters"]): SettingPart[] {
  const paths = Object.keys(parameters);
  return Object.entries(parameters).map(([path, value]) => {
    const isOnly = paths.filter((other) => shortPath(other) === shortPath(path)).length === 1;
    return {
      name: isOnly ? shortPath(path) : path,
      value: typeof value === "string" ? value : JSON.stringify(value),
    };
  });
}

/** The path without the name of its top-level section. */
function shortPath(path: string): string {
  return path.replace(/^(set|env|cluster|proxy|load)\./, "");
}
