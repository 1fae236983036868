/** Describes this machine for the result file: each fact is read from the system, none is assumed. */
import os from "node:os";
import { limitsOf } from "./cgroup.ts";
import type { Machine } from "./facts.ts";
import { openFilesLimit } from "./open_files.ts";
import {
  parseGovernors,
  parsePorts,
  parseTurbo,
  readAllowedCores,
  readSystemFile,
  type Text,
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
    allowedCores: readAllowedCores()?.length ?? cores,
    governor: parseGovernors(
      cpus.map((_, core) => readSystemFile(`${CPU}/cpu${core}/${GOVERNOR}`)),
    ),
    turbo: parseTurbo({
      noTurbo: readSystemFile(TURBO_SWITCHES.intel_pstate),
      boost: readSystemFile(TURBO_SWITCHES.cpufreq),
    }),
    memory: os.totalmem(),
    limits: limitsOf({
      mounts: readSystemFile("/proc/self/mountinfo"),
      groups: readSystemFile("/proc/self/cgroup"),
    }, readSystemFile),
    container: describeContainer(),
    virtual: describeVirtual(),
    openFiles: openFilesLimit("soft"),
    ports: parsePorts(readSystemFile("/proc/sys/net/ipv4/ip_local_port_range")),
    deno: Deno.version.deno,
    v8: Deno.version.v8,
  };
}

const GOVERNOR = "cpufreq/scaling_governor";

/** Files that switch turbo on or off, by driver. */
export const TURBO_SWITCHES = {
  intel_pstate: `${CPU}/intel_pstate/no_turbo`,
  cpufreq: `${CPU}/cpufreq/boost`,
} as const;

function describeContainer(): string | null {
  return containerOf({
    kernel: os.release(),
    kubernetes: Deno.env.get("KUBERNETES_SERVICE_HOST"),
    container: Deno.env.get("container"),
    hasDockerFile: readSystemFile("/.dockerenv") !== null,
    hasPodmanFile: readSystemFile("/run/.containerenv") !== null,
    systemd: readSystemFile("/run/systemd/container"),
    groups: readSystemFile("/proc/self/cgroup"),
  });
}

function describeVirtual(): string | null {
  return virtualOf({
    cpuinfo: readSystemFile("/proc/cpuinfo"),
    vendor: readSystemFile("/sys/class/dmi/id/sys_vendor"),
    product: readSystemFile("/sys/class/dmi/id/product_name"),
    hypervisor: readSystemFile("/sys/hypervisor/type"),
    acpi: readSystemFile("/sys/firmware/acpi/tables/FACP"),
    clocks: readSystemFile("/sys/devices/system/clocksource/clocksource0/available_clocksource"),
  });
}

// Tells whether this is a container or a virtual machine, and of which kind, by the traces that
// each leaves. Pure.

export interface ContainerSigns {
  readonly kernel: string;
  /** KUBERNETES_SERVICE_HOST, which every pod has. */
  readonly kubernetes: string | undefined;
  /** The variable `container`, which podman, LXC and systemd-nspawn set. */
  readonly container: string | undefined;
  readonly hasDockerFile: boolean;
  readonly hasPodmanFile: boolean;
  /** /run/systemd/container: the container that systemd detected. */
  readonly systemd: Text;
  /** /proc/self/cgroup. */
  readonly groups: Text;
}

/** The kind of container; null without any sign of one. */
export function containerOf(signs: ContainerSigns): string | null {
  if (signs.kubernetes) return "kubernetes";
  if (signs.hasPodmanFile) return "podman";
  if (signs.hasDockerFile) return "docker";
  const named = signs.container || signs.systemd?.trim();
  if (named) return named;
  const [runtime] = /docker|kubepods|libpod|lxc/.exec(signs.groups ?? "") ?? [];
  if (runtime) return { kubepods: "kubernetes", libpod: "podman" }[runtime] ?? runtime;
  return /microsoft/i.test(signs.kernel) ? "wsl" : null;
}

export interface VirtualSigns {
  /** /proc/cpuinfo: x86 has the flag `hypervisor` in a virtual machine. */
  readonly cpuinfo: Text;
  /** /sys/class/dmi/id/sys_vendor and product_name. */
  readonly vendor: Text;
  readonly product: Text;
  /** /sys/hypervisor/type. */
  readonly hypervisor: Text;
  /** Head of /sys/firmware/acpi/tables/FACP: it names the maker of the machine's ACPI tables. */
  readonly acpi: Text;
  /**
   * Content of available_clocksource: in virtual machines kvm-clock, hyperv_clocksource_tsc_page or xen, for example.
   */
  readonly clocks: Text;
}

/**
 * Hypervisors and clouds, each with the words by which it is found in the signs of a machine (vendor, product, ACPI
 * tables and others). The most reliable words come first.
 */
const MAKERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/FIRECK|firecracker/i, "firecracker"],
  [/vmware/i, "vmware"],
  [/virtualbox|innotek/i, "virtualbox"],
  [/parallels/i, "parallels"],
  [/amazon ec2/i, "amazon"],
  [/google compute engine/i, "google"],
  [/microsoft corporation.*virtual machine|hyper-?v/is, "hyper-v"],
  [/xen/i, "xen"],
  [/kvm|qemu/i, "kvm"],
];

/** The kind of virtual machine; null without any sign of one; `unknown` if the kind is not recognised. */
export function virtualOf(signs: VirtualSigns): string | null {
  const isVirtual = /^flags\s*:.*\bhypervisor\b/m.test(signs.cpuinfo ?? "");
  const { vendor, product, hypervisor, acpi, clocks } = signs;
  const signsText = [acpi, vendor, product, hypervisor, clocks].map((text) => text ?? "").join(
    "\n",
  );
  // Amazon and Google give their physical and virtual machines the same names, so these names are
  // no sign of a virtual machine.
  const name = MAKERS.find(([sign]) => sign.test(signsText))?.[1] ?? null;
  if (isVirtual) return name ?? "unknown";
  return name === "amazon" || name === "google" ? null : name;
}
