/**
 * The app of the SciCat performance baseline. It responds with "hello world" after using CPU time or sleeping for as
 * long as the request's query says.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { appSettings } from "../../base/target/app_settings.ts";
import type { App, RunningApp } from "./app.ts";

export const work = {
  summary: "Hello world after ?cpuTime=ms of computing and ?sleepTime=ms of waiting",
  settings: appSettings.work,
  paths: ["/", "/?cpuTime=5", "/?sleepTime=5"],
  async start({ cpuTime, sleepTime, maxCpuTime, maxSleepTime }): Promise<RunningApp> {
    const { Hono } = await import("hono");
    const query = z.object({
      cpuTime: milliseconds("cpuTime", { usual: cpuTime, limit: maxCpuTime }),
      sleepTime: milliseconds("sleepTime", { usual: sleepTime, limit: maxSleepTime }),
    });
    const app = new Hono();
    app.get("/", async (c) => {
      const given = query.safeParse(c.req.query());
      if (given.error) return c.json({ errors: given.error.issues }, 400);
      compute(given.data.cpuTime);
      const { sleepTime: sleepMs } = given.data;
      if (sleepMs > 0) await sleep(Math.ceil(sleepMs)); // rounded up, because timers drop fractions
      return c.text("Hello World!");
    });
    return { fetch: app.fetch, close: () => Promise.resolve() };
  },
} satisfies App<typeof appSettings.work>;

/** A schema for a query parameter in milliseconds. */
function milliseconds(
  name: string,
  { usual, limit }: { usual: number; limit: number },
): z.ZodType<number> {
  const error = `${name} must be a number of milliseconds from 0 to ${limit}`;
  const text = z.string().regex(/^\d+(\.\d+)?$/, { error, abort: true });
  return text.transform(Number).refine((ms) => ms <= limit, error).default(usual);
}

/** Blocks this thread for `ms` milliseconds, as in the study, so that other requests wait. */
export function compute(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}
