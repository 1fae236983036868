import assert from "node:assert/strict";
import {
  containerOf,
  type ContainerSigns,
  virtualOf,
  type VirtualSigns,
} from "../../base/system/describe.ts";

const NO_CONTAINER: ContainerSigns = {
  kernel: "6.1.0-18-amd64",
  kubernetes: undefined,
  container: undefined,
  hasDockerFile: false,
  hasPodmanFile: false,
  systemd: null,
  groups: "0::/user.slice/user-1000.slice/session-3.scope\n",
};

Deno.test("a container is told by the signs of its kind", () => {
  const cases: [sign: string, signs: Partial<ContainerSigns>, container: string | null][] = [
    ["none", {}, null],
    ["Docker's file", { hasDockerFile: true }, "docker"],
    ["Podman's file", { hasPodmanFile: true, container: "podman" }, "podman"],
    ["a pod, whatever runs it", { hasDockerFile: true, kubernetes: "10.0.0.1" }, "kubernetes"],
    ["LXC's variable", { container: "lxc" }, "lxc"],
    ["what systemd found", { systemd: "systemd-nspawn\n" }, "systemd-nspawn"],
    ["Docker's group", { groups: "4:cpu:/docker/4f1c\n" }, "docker"],
    ["a pod's group", { groups: "0::/kubepods.slice/kubepods-pod1.slice\n" }, "kubernetes"],
    ["Podman's group", { groups: "0::/machine.slice/libpod-9a.scope\n" }, "podman"],
    ["Windows' kernel", { kernel: "5.15.146.1-microsoft-standard-WSL2" }, "wsl"],
  ];
  for (const [sign, signs, container] of cases) {
    assert.equal(containerOf({ ...NO_CONTAINER, ...signs }), container, sign);
  }
});

const REAL: VirtualSigns = {
  cpuinfo: "processor\t: 0\nflags\t\t: fpu vme de sse4_2 aes avx lahf_lm\n",
  vendor: "Dell Inc.\n",
  product: "PowerEdge R640\n",
  hypervisor: null,
  acpi: "FACP\x14\x01\x06\x66DELL  PE_SC3",
  clocks: "tsc hpet acpi_pm \n",
};
const FLAG = { cpuinfo: "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n" };

Deno.test("a virtual machine is told by its flag, its maker and its clocks", () => {
  const cases: [sign: string, signs: Partial<VirtualSigns>, virtual: string | null][] = [
    ["none", {}, null],
    ["nothing can be read", { cpuinfo: null, vendor: null, product: null, clocks: null }, null],
    ["the flag alone", FLAG, "unknown"],
    ["QEMU", { ...FLAG, vendor: "QEMU\n", product: "Standard PC\n" }, "kvm"],
    ["KVM's clock", { ...FLAG, vendor: null, product: null, clocks: "tsc kvm-clock \n" }, "kvm"],
    ["Firecracker's tables", { ...FLAG, acpi: "FACP\x14\x01FIRECKFCVMFADT" }, "firecracker"],
    ["VMware", { ...FLAG, vendor: "VMware, Inc.\n", product: "VMware7,1\n" }, "vmware"],
    [
      "Hyper-V",
      { ...FLAG, vendor: "Microsoft Corporation\n", product: "Virtual Machine\n" },
      "hyper-v",
    ],
    [
      "Amazon's virtual machines",
      { ...FLAG, vendor: "Amazon EC2\n", product: "c5.large\n" },
      "amazon",
    ],
    ["Amazon's real machines", { vendor: "Amazon EC2\n", product: "c5.metal\n" }, null],
    ["Arm, which has no flag", { cpuinfo: "processor\t: 0\n", vendor: "QEMU\n" }, "kvm"],
  ];
  for (const [sign, signs, virtual] of cases) {
    assert.equal(virtualOf({ ...REAL, ...signs }), virtual, sign);
  }
});
