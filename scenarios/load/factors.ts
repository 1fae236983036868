/** Factors: what varies in an experiment, and every combination of its values. Pure. */
import type { z } from "zod";

export type Json = z.core.util.JSONType;

/** Values of each factor, by name; undefined for one that the file leaves out. */
export type Factors = Readonly<Record<string, readonly Json[] | undefined>>;

/** One value of each factor. */
export type Combination<F extends Factors> = { [Name in keyof F]: NonNullable<F[Name]>[number] };

/** How many combinations there are; nothing is built for it. */
export function countOf(factors: Factors): number {
  return Object.values(factors)
    .reduce((count, values) => values === undefined ? count : count * new Set(values).size, 1);
}

/** One value of each factor, in every way; the last factor changes fastest. */
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

/** Of one combination those values that are different in others. */
export function varying(values: Record<string, Json>, factors: Factors): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => new Set(factors[name]).size > 1),
  );
}
