/** What processes used over a run, in the result files. */
import { z } from "zod";

const count = z.int().min(0);

/** What one process tree used at one moment; rates are over the interval that ends there. */
export const resourcePoint = z.strictObject({
  endS: z.number().describe("Seconds since the start of the load"),
  cpu: z.number().min(0).describe("Cores in use: 1 is one whole core"),
  memory: count.describe("Resident memory, bytes"),
  // Absent where the system does not tell, and in older files.
  user: z.number().min(0).optional().describe("Cores in use by its own code"),
  system: z.number().min(0).optional().describe("Cores in use by the kernel for it"),
  threads: count.optional(),
  files: count.optional().describe("Open files, sockets and pipes"),
  switches: z.strictObject({ voluntary: z.number().min(0), involuntary: z.number().min(0) })
    .optional().describe("Context switches per second: it waited, or was made to"),
});

/** What one of those used that a run is made of. */
export const part = z.strictObject({
  role: z.enum(["front", "behind", "redis"]).describe(
    "front: is asked, and asks those behind it; redis: that of the run, which is not in resources",
  ),
  name: z.string().describe("nginx, balancer, proxy, redis, or the target that stands behind"),
  points: z.array(resourcePoint),
});
