/** How much of the load workers' time an experiment's hooks took. */
import * as z from "zod";

export const hookUse = z.strictObject({
  calls: z.int().min(0).describe("Number of calls of the hooks before, after, start and end"),
  timeS: z.number().min(0).describe("Time that the workers spent in these calls, seconds"),
  refreshes: z.strictObject({
    done: z.int().min(0).describe("How often refresh renewed the data of users"),
    failed: z.int().min(0).describe(
      "How often refresh failed, so that users kept the earlier data",
    ),
  }).optional().describe("Renewals of the data of users by refresh; absent without refresh"),
});

export type HookUse = z.output<typeof hookUse>;

/** Sum over all workers; undefined if none has hooks. */
export function mergeHookUse(uses: readonly (HookUse | undefined)[]): HookUse | undefined {
  const given = uses.filter((use) => use !== undefined);
  if (given.length === 0) return undefined;
  return {
    calls: given.reduce((sum, { calls }) => sum + calls, 0),
    timeS: given.reduce((sum, { timeS }) => sum + timeS, 0),
  };
}
