/** Experiments whose targets have commands that write what they do into one file, line by line. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { until } from "./patience.ts";
import { emptyFolder, type Ended, exits, Plateau } from "./plateau.ts";
import { descendants } from "./processes.ts";

export class CommandedSite implements Disposable {
  readonly #folder = emptyFolder();
  readonly path = this.#folder.path;
  readonly out = join(this.path, "out");
  readonly file = join(this.path, "life.json");

  /** A file in the folder, "" where there is none. */
  read(name: string): string {
    const path = join(this.path, name);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** What the commands did, in their order. */
  done(): string[] {
    return this.read("done").split("\n").filter((line) => line !== "");
  }

  start(experiment: object, ...more: string[]): Plateau {
    Deno.writeTextFileSync(this.file, JSON.stringify({ ...DEFAULTS, ...experiment }));
    return new Plateau(["run", this.file, "--out", this.out, ...more], { cwd: "/" });
  }

  /** Runs it to its end, which has this code. */
  exits(code: number, experiment: object, ...more: string[]): Promise<Ended> {
    return exits(code, this.start(experiment, ...more).ended);
  }

  saved(): Results {
    return results.parse(JSON.parse(this.read("out/results.json")));
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

const DEFAULTS = {
  name: "life",
  scenarios: { any: { get: "/static", expect: { status: [200, 404] } } },
  load: { connections: 1, requests: 20 },
  interval: "50ms",
  order: "sequential",
  repeat: 1,
};

/** A step that writes a line, and then does `more`. */
export function says(line: string, more = ""): [string, ...string[]] {
  return ["sh", "-c", `echo '${line}' >> done\n${more}`];
}

/** All four stages, each with one step that writes its name and the target's. */
export function allStages(target: string): Record<string, unknown> {
  return Object.fromEntries(
    ["setup", "before", "after", "teardown"].map((stage) => [stage, [says(`${stage} ${target}`)]]),
  );
}

export async function assertNothingLeft(): Promise<void> {
  const left = (): string[] => descendants(Deno.pid).map(({ command }) => command);
  await until(() => `these have ended: ${left().join("; ")}`, () => left().length === 0);
}
