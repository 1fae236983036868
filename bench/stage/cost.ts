/**
 * What one exchange costs a load generator: its CPU time, as the difference between a long and a short run, which
 * excludes start-up.
 */
import { TargetError } from "../../base/errors.ts";
import { medianOf } from "../../runner/stats/quantile.ts";
import type { Bar } from "../bar.ts";
import type { Row } from "../bench.ts";
import { interleaved } from "../rounds.ts";
import { childrenCpuUs } from "./children_cpu.ts";
import { type Command, isInstalled, placed, start } from "./programs.ts";

export interface Generator<Task> {
  /** The program that has to be installed. */
  readonly program: string;
  command(task: Task, seconds: number): Command;
  /** Reads the rate of requests, calls or messages from the generator's output. */
  ratePerSec(output: string): number;
}

export interface Cost {
  readonly cpuUs: number;
  readonly ratePerSec: number;
}

/** The costs of the installed generators, one for each round. */
export type Costs<Name extends string> = Partial<Record<Name, readonly Cost[]>>;

/** The seconds of the two runs; not fewer, because a thousand TLS handshakes take a second. */
const SECONDS = { short: [2, 3], long: [2, 6] } as const;

export class Generators<Name extends string, Task> {
  readonly #there: readonly Name[];
  /** The notes, which name missing generators, if any. */
  readonly notes: readonly string[];

  constructor(private readonly generators: Readonly<Record<Name, Generator<Task>>>) {
    const names = Object.keys(generators) as Name[];
    this.#there = names.filter((name) => isInstalled(generators[name].program));
    const missing = names.filter((name) => !this.#there.includes(name));
    const programs = missing.map((name) => {
      const { program } = generators[name];
      return program === name ? name : `${program}, which ${name} needs`;
    });
    this.notes = missing.length > 0 ? [`Not installed: ${programs.join("; ")}.`] : [];
  }

  costs(
    task: Task,
    { rounds, short }: { readonly rounds: number; readonly short: boolean },
  ): Promise<Costs<Name>> {
    const [brief, long] = SECONDS[short ? "short" : "long"];
    return interleaved(this.#there, rounds, async (name) => {
      const first = await this.#run(name, task, brief);
      const second = await this.#run(name, task, long);
      const exchanges = second.ratePerSec * long - first.ratePerSec * brief;
      return { ...second, cpuUs: (second.cpuUs - first.cpuUs) / exchanges };
    });
  }

  /** Makes one run; `cpuUs` is the CPU time of the whole run. */
  async #run(name: Name, task: Task, seconds: number): Promise<Cost> {
    const { command, ratePerSec } = this.generators[name];
    const beforeUs = childrenCpuUs();
    const output = await start(placed("generator", command(task, seconds))).output;
    const cpuUs = childrenCpuUs() - beforeUs;
    const rate = ratePerSec(output);
    if (!(rate > 0)) throw new TargetError(`Cannot measure: ${name} got no responses`, [output]);
    return { cpuUs, ratePerSec: rate };
  }
}

/** The requests per second that wrk prints, and most generators with a similar output. */
export function rateOfWrk(output: string): number {
  return Number(/(?:Requests\/sec|Req\/s):\s*([\d.]+)/.exec(output)?.[1] ?? NaN);
}

/** The requests per second that h2load prints. */
export function rateOfH2load(output: string): number {
  return Number(/, ([\d.]+) req\/s/.exec(output)?.[1] ?? NaN);
}

interface Beside<Name extends string> {
  readonly baseline: NoInfer<Name>;
  readonly bars?: Partial<Record<NoInfer<Name>, Bar>>;
}

/** A row for each generator. */
export function rowsOf<Name extends string>(
  costs: Costs<Name>,
  figure: keyof Cost,
  { baseline, bars = {} }: Beside<Name>,
): Row[] {
  const samplesOf = (name: Name): number[] | undefined => costs[name]?.map((cost) => cost[figure]);
  const known = samplesOf(baseline);
  return (Object.keys(costs) as Name[]).map((what) => ({
    what,
    samples: samplesOf(what) ?? [],
    baseline: known && medianOf(known),
    bar: known && bars[what],
  }));
}
