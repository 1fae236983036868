/** Facts about the measuring machine, as stored in the result files. */
import * as z from "zod";

const count = z.int().min(0);

export const machine = z.strictObject({
  os: z.string(),
  kernel: z.string(),
  arch: z.string(),
  hostname: z.string(),
  cpu: z.string().describe("Model of the processor"),
  cores: z.int().min(1).describe("Cores of the machine"),
  allowedCores: z.int().min(1).describe("Cores on which Plateau was allowed to run"),
  governor: z.string().nullable()
    .describe("Clock-speed policy, such as performance or powersave; null: unknown"),
  turbo: z.boolean().nullable()
    .describe("Whether cores may go beyond their nominal clock speed; null: unknown"),
  memory: count.describe("Bytes"),
  limits: z.strictObject({
    cores: z.number().positive().nullable().describe(
      "Limit in cores: seconds of CPU time for each second of wall time; null: none",
    ),
    memory: count.nullable().describe("Bytes"),
  }).describe("Limits of the control group; null: none"),
  container: z.string().nullable().describe(
    "Kind of container, such as docker, podman, kubernetes, lxc or wsl; null: none",
  ),
  virtual: z.string().nullable()
    .describe(
      "Hypervisor, such as kvm, firecracker or vmware, or unknown; null: no sign of a virtual machine",
    ),
  openFiles: count.nullable().describe("Soft limit of open files; null: none, or unknown"),
  ports: z.tuple([count, count]).nullable()
    .describe("First and last local port for outgoing connections; null: unknown"),
  deno: z.string(),
  v8: z.string(),
});

export type Machine = z.output<typeof machine>;
