/** Lines of a target that may hold a list: each value of it is measured, a factor of the experiment. */
import { z } from "zod";

/** One value, or a list of values. */
export function oneOrList<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodUnion<[Schema, z.ZodArray<Schema>]> {
  return z.union([schema, z.array(schema).min(1)]);
}

/** The same lines with one value for each of the factors. */
export type WithOneValueFor<Lines, Factor extends keyof Lines> =
  & Omit<Lines, Factor>
  & { [Key in keyof Pick<Lines, Factor>]: Exclude<Lines[Key], readonly unknown[]> };

/** The values of a factor as they were written, one or a list. */
export function valuesOf<Value>(written: Value | Value[]): Value[] {
  return Array.isArray(written) ? written : [written];
}
