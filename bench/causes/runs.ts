/** Runs experiments with planted causes, each in its own Plateau process, and reads the findings of their runs. */
import { join } from "node:path";
import { frameTimes, hotPathOf, profileChange } from "../../base/profile/frame_times.ts";
import type { Bottleneck } from "../../runner/result/findings.ts";
import { type Results, results } from "../../runner/result/result.ts";
import { selfCommand } from "../../targets/launch/child.ts";
import { type Command, start } from "../stage/programs.ts";
import { startNeighbour } from "../trust/disturbance.ts";
import { type Cause, type CauseGroup, commandOf, type Runtime, SERVERS } from "./cases.ts";
import { askingNameServer, startNameServer } from "./name_server.ts";

interface Stage {
  readonly runtime: Runtime;
  readonly command: Command;
  /** The folder for experiment files and results. */
  readonly folder: string;
  readonly rounds: number;
}

/** A planted cause, and the bottleneck that was reported in each run with it. */
export interface Named {
  readonly cause: Cause;
  readonly kinds: readonly string[];
}

export async function runGroup(group: CauseGroup, stage: Stage): Promise<Named[]> {
  const { runtime } = stage;
  const causes = group.causes.filter(({ runtimes }) => runtimes?.includes(runtime.name) ?? true);
  if (causes.length === 0) return [];
  using _beside = startBeside(group);
  const commands = causes.map(({ words }) => commandOf(stage, words));
  const needs = group.needs === undefined ? "" : `, needs: [${group.needs}]`;
  const { runs } = await runExperiment(
    {
      name: group.name,
      commands: group.beside === "name server"
        ? commands.map((command) => askingNameServer(command, stage.folder))
        : commands,
      more: [
        `scenarios: { root: { get: /${needs} } }`,
        `load: ${group.load}`,
        `repeat: ${stage.rounds}`,
        "observe: [runtime]",
      ],
    },
    stage,
  );
  return causes.map((cause, i) => ({
    cause,
    kinds: runs.filter(({ target }) => target === nameOf(i))
      .map(({ bottleneck }) => bottleneck === undefined ? "unknown" : saidOf(bottleneck)),
  }));
}

function startBeside({ beside }: CauseGroup): Disposable {
  if (beside === "name server") return startNameServer();
  return beside === "neighbour" ? startNeighbour(0) : { [Symbol.dispose]: () => {} };
}

/**
 * Returns the kind of a bottleneck, such as `lock`; for a queue that is known to be served, say, four requests at a
 * time, `a pool of 4.0`.
 */
function saidOf({ kind, atOnce }: Bottleneck): string {
  return kind === "waiting" && atOnce ? `a pool of ${atOnce.toFixed(1)}` : kind;
}

/**
 * For each profile of the hot server (the one that runs HOT), the function with the most own time; for each comparison
 * of two profiles, the function whose own time grew most.
 */
export interface Frames {
  readonly hot: readonly string[];
  readonly grown: readonly string[];
  /** The planted function's share of all own time in each profile of the hot server. */
  readonly hotShares: readonly number[];
}

/**
 * The numbers of rounds of work per request: first in the function `steady`, then in `planted`. The hot server spends
 * eight of its ten rounds in `planted`. The slower server spends two rounds more there than the base, which is a fifth
 * of the base's work.
 *
 * Rounds are long enough to be most of a server's work on each runtime; they are longest where a server does much else,
 * as Python's `http.server` does.
 */
const [HOT, BASE, SLOWER] = ["work 2 8", "work 8 2", "work 8 4"];

export async function runProfiles(stage: Stage): Promise<Frames> {
  const { profiles = [] } = await runExperiment(
    {
      name: "profiles",
      commands: [HOT, BASE, SLOWER].map((words) => commandOf(stage, words)),
      more: [
        "scenarios: { root: { get: / } }",
        "load: { duration: 4s, connections: 8 }",
        "repeat: 1",
        `profile: { runs: ${stage.rounds}${stage.runtime.profile} }`,
      ],
    },
    stage,
  );
  const of = (i: number) => profiles.filter(({ target }) => target === nameOf(i));
  const perRun = (i: number) =>
    of(i).map(({ tree, rate, forS }) => ({ runs: [{ tree, requests: (rate ?? 0) * forS }] }));
  const [before, after] = [perRun(1), perRun(2)];
  return {
    hot: of(0).map(({ tree }) => hotPathOf(tree)?.frame.name ?? "none"),
    hotShares: of(0).map(({ tree }) => {
      const times = frameTimes(tree);
      const ownMs = times.find(({ frame }) => isPlanted(frame.name))?.ownMs ?? 0;
      return ownMs / times.reduce((sum, time) => sum + time.ownMs, 0);
    }),
    grown: before.map((runs, i) => profileChange(runs, after[i])?.grown[0]?.name ?? "none"),
  };
}

/** Whether the function is the planted one; Go prefixes its name with that of the package. */
export function isPlanted(name: string): boolean {
  return /^(?:main\.)?planted$/.test(name);
}

interface ServersExperiment {
  readonly name: string;
  readonly commands: readonly Command[];
  /** Further lines of the experiment file, in YAML. */
  readonly more: readonly string[];
}

export function nameOf(i: number): string {
  return `t${i}`;
}

/** Runs an experiment whose targets are named t0, t1 and so on, one for each command. */
export async function runExperiment(
  { name, commands, more }: ServersExperiment,
  { runtime, folder }: Pick<Stage, "runtime" | "folder">,
): Promise<Results> {
  const file = join(folder, `${runtime.name}-${name}.yaml`);
  const out = join(folder, `${runtime.name}-${name}`);
  const targets = commands.map((command, i) =>
    `  ${nameOf(i)}: { command: ${JSON.stringify(command)}, cwd: ${JSON.stringify(SERVERS)} }`
  );
  Deno.writeTextFileSync(file, [`name: ${name}`, "targets:", ...targets, ...more, ""].join("\n"));
  const [program, args] = selfCommand(["run", file, "--out", out, "--quiet"]);
  await start([program, ...args]).output;
  return results.parse(JSON.parse(Deno.readTextFileSync(join(out, "results.json"))));
}
