/** What machine this is, for the result file: each fact read here, none supposed. */
import os from "node:os";
import { limitsOf } from "./cgroup.ts";
import { containerOf, virtualOf } from "./container.ts";
import type { Machine } from "./facts.ts";
import {
  parseAllowedCores,
  parseGovernors,
  parseOpenFiles,
  parsePorts,
  parseTurbo,
  readText,
} from "./linux.ts";

const CPU = "/sys/devices/system/cpu";

export function describeMachine(): Machine {
  const cpus = os.cpus();
  const cores = cpus.length || navigator.hardwareConcurrency;
  return {
    os: Deno.build.os,
    kernel: os.release(),
    arch: Deno.build.arch,
    hostname: os.hostname(),
    cpu: cpus[0]?.model.trim() || "unknown",
    cores,
    allowedCores: parseAllowedCores(readText("/proc/self/status"))?.length ?? cores,
    governor: parseGovernors(cpus.map((_, core) => readText(`${CPU}/cpu${core}/${GOVERNOR}`))),
    turbo: parseTurbo({
      noTurbo: readText(TURBO_SWITCHES.intel_pstate),
      boost: readText(TURBO_SWITCHES.cpufreq),
    }),
    memory: os.totalmem(),
    limits: limitsOf({
      mounts: readText("/proc/self/mountinfo"),
      groups: readText("/proc/self/cgroup"),
    }, readText),
    container: describeContainer(),
    virtual: describeVirtual(),
    openFiles: parseOpenFiles(readText("/proc/self/limits")),
    ports: parsePorts(readText("/proc/sys/net/ipv4/ip_local_port_range")),
    deno: Deno.version.deno,
    v8: Deno.version.v8,
  };
}

const GOVERNOR = "cpufreq/scaling_governor";

/** Where turbo is switched, by the driver that does it. */
export const TURBO_SWITCHES = {
  intel_pstate: `${CPU}/intel_pstate/no_turbo`,
  cpufreq: `${CPU}/cpufreq/boost`,
} as const;

function describeContainer(): string | null {
  return containerOf({
    kernel: os.release(),
    kubernetes: Deno.env.get("KUBERNETES_SERVICE_HOST"),
    container: Deno.env.get("container"),
    hasDockerFile: readText("/.dockerenv") !== null,
    hasPodmanFile: readText("/run/.containerenv") !== null,
    systemd: readText("/run/systemd/container"),
    groups: readText("/proc/self/cgroup"),
  });
}

function describeVirtual(): string | null {
  return virtualOf({
    cpuinfo: readText("/proc/cpuinfo"),
    vendor: readText("/sys/class/dmi/id/sys_vendor"),
    product: readText("/sys/class/dmi/id/product_name"),
    hypervisor: readText("/sys/hypervisor/type"),
    acpi: readText("/sys/firmware/acpi/tables/FACP"),
    clocks: readText("/sys/devices/system/clocksource/clocksource0/available_clocksource"),
  });
}
