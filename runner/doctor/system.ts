/** Checks of the system around Plateau: its limits, and what it runs in. */
import {
  advise,
  type CheckResult,
  coresWord,
  countText,
  type DoctorCheck,
  ok,
  threeDigitsText,
  unknown,
} from "./check.ts";

const GB = 1e9;

export const system: DoctorCheck = {
  title: "System",
  run({ machine: { os, kernel, arch, deno } }): CheckResult {
    const found = `${os} ${kernel}, ${arch}, Deno ${deno}`;
    if (os === "linux") return ok(found);
    return advise(
      found,
      "much of what makes figures steady, and all that tells of it, is there only on Linux",
    );
  },
};

export const memory: DoctorCheck = {
  title: "Memory",
  run: ({ machine: { memory } }) => ok(`${threeDigitsText(memory / GB)} GB`),
};

export const limits: DoctorCheck = {
  title: "Limits",
  run({ machine: { os, limits: { cores, memory }, allowedCores } }): CheckResult {
    if (os !== "linux") return unknown("control groups are Linux' own");
    const found = [
      ...cores === null ? [] : [`CPU time of ${coresWord(cores)}`],
      ...memory === null ? [] : [`${threeDigitsText(memory / GB)} GB of memory`],
    ].join(", ") || "none";
    if (cores === null || cores >= allowedCores) return ok(found);
    return advise(
      found,
      "who has used up that time stands still until the next period, mostly of 100 ms, and latencies " +
        "show it: give whole cores in its place, as docker run --cpuset-cpus does",
    );
  },
};

export const container: DoctorCheck = {
  title: "Container",
  run({ machine: { container } }): CheckResult {
    if (container === null) return ok("none");
    return advise(
      container,
      "who else uses the machine does not show from inside: measure on the machine itself where you can",
    );
  },
};

export const virtualMachine: DoctorCheck = {
  title: "Virtual",
  run({ machine: { os, virtual } }): CheckResult {
    if (os !== "linux") return unknown("its signs are looked for on Linux only");
    if (virtual === null) return ok("no sign of a virtual machine");
    return advise(
      virtual,
      "its cores are shared with machines that don't show from here: compare only what was measured " +
        "side by side, in one experiment",
    );
  },
};

/** Enough for the connections of most loads, on both sides. */
const FEW_FILES = 10_000;

export const openFiles: DoctorCheck = {
  title: "Open files",
  run({ machine: { openFiles } }): CheckResult {
    if (openFiles === null) return unknown("the system tells no limit");
    const found = `${countText(openFiles)} for each process`;
    if (openFiles >= FEW_FILES) return ok(found);
    return advise(found, "every connection is an open file: ulimit -n 65536");
  },
};

/** What Linux has when nobody has changed it: 32768–60999. */
const USUAL_PORTS = 28_232;

export const ports: DoctorCheck = {
  title: "Ports",
  run({ machine: { ports } }): CheckResult {
    if (ports === null) return unknown("the system does not tell its range");
    const [first, last] = ports;
    const found = `${countText(last - first + 1)} for connections (${first}–${last})`;
    if (last - first + 1 >= USUAL_PORTS) return ok(found);
    return advise(
      found,
      "a connection needs a port, and keeps it for a minute after its end: " +
        'sudo sysctl net.ipv4.ip_local_port_range="10240 65535"',
    );
  },
};
