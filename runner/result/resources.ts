/** CPU and memory of processes over a run, in the result files. */
import * as z from "zod";

const count = z.int().min(0);

/** Use of one process tree at one moment; rates are over the interval that ends there. */
export const resourcePoint = z.strictObject({
  endS: z.number().describe("Seconds since the start of the load"),
  cpu: z.number().min(0).describe("Cores in use: 1 is one whole core"),
  memory: count.describe("Resident memory, bytes"),
  // Absent where the system does not report it, and in older files.
  user: z.number().min(0).optional().describe("Cores in use by its own code"),
  system: z.number().min(0).optional().describe("Cores in use by the kernel for it"),
  threads: count.optional(),
  files: count.optional().describe("Open files, sockets and pipes"),
  switches: z.strictObject({ voluntary: z.number().min(0), involuntary: z.number().min(0) })
    .optional().describe("Context switches per second: it waited, or was made to"),
});

/** Use of one process tree of a composite target, or of Redis. */
export const part = z.strictObject({
  role: z.enum(["gateway", "upstream", "redis"]).describe(
    "gateway: receives the requests and forwards them to the upstreams; redis: that of the run, which is not in resources",
  ),
  name: z.string().describe("nginx, balancer, proxy, redis, or the target behind the gateway"),
  points: z.array(resourcePoint),
  keyspace: z.strictObject({ hits: count, misses: count }).optional().describe(
    "Of Redis: look-ups during the load that found a key, and those that did not; absent where unknown",
  ),
});
