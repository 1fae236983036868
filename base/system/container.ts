/** Whether this is a container, or a virtual machine, and of which kind, by the signs that each leaves. Pure. */
import type { Text } from "./linux.ts";

export interface ContainerSigns {
  readonly kernel: string;
  /** KUBERNETES_SERVICE_HOST, which every pod has. */
  readonly kubernetes: string | undefined;
  /** The variable `container`, which podman, LXC and systemd-nspawn set. */
  readonly container: string | undefined;
  readonly hasDockerFile: boolean;
  readonly hasPodmanFile: boolean;
  /** /run/systemd/container: what systemd has found. */
  readonly systemd: Text;
  /** /proc/self/cgroup. */
  readonly groups: Text;
}

/** Null: no sign of one. */
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
  /** Head of /sys/firmware/acpi/tables/FACP: whoever made the machine's tables. */
  readonly acpi: Text;
  /** available_clocksource: kvm-clock, hyperv_clocksource_tsc_page, xen. */
  readonly clocks: Text;
}

/** By words in the names of maker and product, the surest first. */
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

/** Null: no sign of one. `unknown`: one that doesn't say what it is. */
export function virtualOf(signs: VirtualSigns): string | null {
  const isVirtual = /^flags\s*:.*\bhypervisor\b/m.test(signs.cpuinfo ?? "");
  const { vendor, product, hypervisor, acpi, clocks } = signs;
  const signsText = [acpi, vendor, product, hypervisor, clocks].map((text) => text ?? "").join("\n");
  // Amazon and Google name machines of their own alike, virtual or not.
  const name = MAKERS.find(([sign]) => sign.test(signsText))?.[1] ?? null;
  if (isVirtual) return name ?? "unknown";
  return name === "amazon" || name === "google" ? null : name;
}
