/**
 * What machine this is, for the result file.
 */
import os from "node:os";
import type { Machine } from "./result.ts";

export function describeMachine(): Machine {
  const cpus = os.cpus();
  return {
    os: Deno.build.os,
    kernel: os.release(),
    arch: Deno.build.arch,
    hostname: os.hostname(),
    cpu: cpus[0]?.model.trim() || "unknown",
    cores: navigator.hardwareConcurrency,
    memory: os.totalmem(),
    deno: Deno.version.deno,
    v8: Deno.version.v8,
  };
}
