/**
 * Measures the CPU time that one exchange costs a load generator. It is the difference between a long and a short run,
 * so start-up is excluded.
 */
import { TargetError } from "../../base/errors.ts";
import { medianOf } from "../../runner/stats/quantile.ts";
import type { Bar } from "../bar.ts";
import type { Row } from "../bench.ts";
import { interleaved } from "../rounds.ts";
import { childrenCpuUs } from "./children_cpu.ts";
import { type Command, isInstalled, placed, start } from "./programs.ts";

export interface Generator<Task> {
  /** The program that must be installed. */
  readonly program: string;
  command(task: Task, seconds: number): Command;
  /** Reads the requests, calls or messages per second from the generator's output. */
  ratePerSec(output: string): number;
}

export interface Cost {
  readonly cpuUs: number;
  readonly ratePerSec: number;
}

/** The costs of the generators that are installed; one cost per round. */
export type Costs<Name extends string> = Partial<Record<Name, readonly Cost[]>>;

/**
 * The seconds of the brief and the long run, with `--short` and without. They are not less than two, because a thousand
 * TLS handshakes take about a second.
 */
const SECONDS = { short: [2, 3], long: [2, 6] } as const;

export class Generators<Name extends string, Task> {
  readonly #there: readonly Name[];
  /** A note that names the generators that are not installed; empty if all are. */
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

  /** Makes one run; here `cpuUs` is the CPU time of the whole run. */
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

/** Reads the requests per second from the output of wrk, or of the many generators that print them in the same way. */
export function rateOfWrk(output: string): number {
  return Number(/(?:Requests\/sec|Req\/s):\s*([\d.]+)/.exec(output)?.[1] ?? NaN);
}

/** Reads the requests per second from h2load's output. */
export function rateOfH2load(output: string): number {
  return Number(/, ([\d.]+) req\/s/.exec(output)?.[1] ?? NaN);
}

interface Beside<Name extends string> {
  readonly baseline: NoInfer<Name>;
  readonly bars?: Partial<Record<NoInfer<Name>, Bar>>;
}

/** One row for each generator. */
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
