/** Factors, which are the values that vary in an experiment, and all their combinations. Pure. */
import type { Json } from "../../base/yaml/json_text.ts";
import type { Phase } from "../pace/arrivals.ts";
import type { LoadStage } from "../pace/levels.ts";
import { durationText, rateText } from "../../base/quantity.ts";

/** The values of each factor, by its name; undefined for a factor that the file leaves out. */
export type Factors = Readonly<Record<string, readonly Json[] | undefined>>;

/** Values of the factors that vary, as people write them, keyed by path, such as `phases.0.arrivals`. */
export type FactorValues = Readonly<Record<string, Json>>;

/** One value of each factor. */
export type Combination<F extends Factors> = { [Name in keyof F]: NonNullable<F[Name]>[number] };

/** Number of combinations, computed without building them. */
export function countOf(factors: Factors): number {
  return Object.values(factors)
    .reduce((count, values) => values === undefined ? count : count * new Set(values).size, 1);
}

/** Every combination of one value of each factor; the last factor changes fastest. */
export function combinations<F extends Factors>(factors: F): Combination<F>[] {
  return Object.entries(factors).reduce<Record<string, Json>[]>(
    (all, [name, values]) => {
      if (values === undefined) return all;
      const each = [...new Set(values)];
      return all.flatMap((before) => each.map((value) => ({ ...before, [name]: value })));
    },
    [{}],
  ) as Combination<F>[];
}

/** Whether a factor has more than one distinct value. */
export function varies(name: string, factors: Factors): boolean {
  return new Set(factors[name]).size > 1;
}

/**
 * A phase as written, with a list of values for each field. The duration is in milliseconds. `arrivals` is the rate per
 * second, which changes to `rampTo` by the end of the phase, if that is given.
 */
export type PhaseFactors = {
  readonly duration: readonly number[];
  readonly arrivals: readonly number[];
  readonly rampTo?: readonly number[];
};

/**
 * A stage as written, with a list of values for each field. The duration is in milliseconds. The number of connections
 * changes to `rampTo` by the end of the stage, if that is given.
 */
export type StageFactors = {
  readonly duration: readonly number[];
  readonly connections: readonly number[];
  readonly rampTo?: readonly number[];
};

/**
 * All phases or stages in one variant of a load, with the values that distinguish this variant, by paths such as
 * `phases.INDEX.NAME`.
 */
export interface PartsVariant<Part> {
  readonly parts: readonly Part[];
  readonly parameters: FactorValues;
}

/** Total duration of phases or stages, in milliseconds. */
export function lastingMs(parts: readonly { readonly durationUs: number }[]): number {
  return parts.reduce((sum, { durationUs }) => sum + durationUs / 1_000, 0);
}

/** Number of variants that the phases or stages produce, computed without building them. */
export function countOfPartVariants(parts: readonly (PhaseFactors | StageFactors)[]): number {
  return parts.reduce((count, factors) => count * countOf({ ...factors }), 1);
}

/** A phase or stage, with its values as people write them. */
interface ShownPart<Part> {
  readonly part: Part;
  readonly shown: FactorValues;
}

export function phaseVariants(phases: readonly PhaseFactors[]): PartsVariant<Phase>[] {
  return everyVariant("phases", phases, ({ duration, arrivals, rampTo = arrivals }) => ({
    part: { durationUs: duration * 1_000, fromPerSec: arrivals, toPerSec: rampTo },
    shown: {
      duration: durationText(duration),
      arrivals: rateText(arrivals),
      rampTo: rateText(rampTo),
    },
  }));
}

export function stageVariants(stages: readonly StageFactors[]): PartsVariant<LoadStage>[] {
  return everyVariant("stages", stages, ({ duration, connections, rampTo = connections }) => ({
    part: { durationUs: duration * 1_000, from: connections, to: rampTo },
    shown: { duration: durationText(duration), connections, rampTo },
  }));
}

function everyVariant<F extends Factors, Part>(
  key: "phases" | "stages",
  written: readonly F[],
  partOf: (values: Combination<F>) => ShownPart<Part>,
): PartsVariant<Part>[] {
  return written.reduce<PartsVariant<Part>[]>((variants, factors, index) => {
    const each = combinations(factors).map((values): PartsVariant<Part> => {
      const { part, shown } = partOf(values);
      const varying = Object.entries(shown).filter(([name]) => varies(name, factors));
      const named = varying.map(([name, value]) => [`${key}.${index}.${name}`, value]);
      return { parts: [part], parameters: Object.fromEntries(named) };
    });
    return variants.flatMap((before) => each.map(after(before)));
  }, [{ parts: [], parameters: {} }]);
}

function after<Part>(
  before: PartsVariant<Part>,
): (next: PartsVariant<Part>) => PartsVariant<Part> {
  return ({ parts, parameters }) => ({
    parts: [...before.parts, ...parts],
    parameters: { ...before.parameters, ...parameters },
  });
}
