/** The checks in the order in which they are shown. */
import type { DoctorCheck } from "./check.ts";
import { clockCheck, driverCheck, generatorCheck } from "./generator.ts";
import { cores, governor, idleLoad, steal, turbo } from "./processor.ts";
import { nginxCheck, redisCheck } from "./programs.ts";
import { container, limits, memory, openFiles, ports, system, virtualMachine } from "./system.ts";

export const checks = {
  system,
  container,
  virtual: virtualMachine,
  cores,
  governor,
  turbo,
  idle: idleLoad,
  steal,
  memory,
  limits,
  openFiles,
  ports,
  clock: clockCheck,
  driver: driverCheck,
  generator: generatorCheck,
  redis: redisCheck,
  nginx: nginxCheck,
} satisfies Record<string, DoctorCheck>;
