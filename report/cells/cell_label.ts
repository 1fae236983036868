/** Labels of cells, such as `hono · connections 50`: the target and the value of each factor. */
import type { Run } from "../../runner/result/result.ts";

/** `hono`, or `hono · connections 50 · delay 100ms` when factors vary. */
export function cellLabel(cell: Pick<Run, "target" | "parameters">): string {
  return cellParts(cell).join(" · ");
}

/** The parts that `cellLabel` joins: the target, then each factor with its value. */
export function cellParts({ target, parameters }: Pick<Run, "target" | "parameters">): string[] {
  const texts = settingParts(parameters).map(({ name, value }) => `${name} ${value}`);
  return [target, ...texts].filter(Boolean);
}

/** The label without the target, such as `connections 50 · delay 100ms`; "" if no factor varies. */
export function settingLabel(parameters: Run["parameters"]): string {
  return cellParts({ target: "", parameters }).join(" · ");
}

interface SettingPart {
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

/** The path of a factor without its first part, if that part is the name of a section, such as `load`. */
function shortPath(path: string): string {
  return path.replace(/^(set|env|cluster|proxy|load)\./, "");
}
