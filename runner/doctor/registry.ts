/** The checks in the order in which they are shown. */
import type { Check } from "./check.ts";
import { clock, driver, generator } from "./generator.ts";
import { cores, governor, idleLoad, steal, turbo } from "./processor.ts";
import { nginx, redis } from "./programs.ts";
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
  clock,
  driver,
  generator,
  redis,
  nginx,
} satisfies Record<string, Check>;
