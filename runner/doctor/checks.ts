/**
 * Every check of `plateau doctor`, in the order in which they are shown. To add a check, define a constant and list it
 * in `checks` below.
 */
import {
  advise,
  type CheckResult,
  coresWord,
  countText,
  type DoctorCheck,
  ok,
  shareText,
  threeDigitsText,
  unknown,
} from "./check.ts";

/** Step in µs above which a clock is too coarse: times are recorded to the microsecond. */
const COARSE_US = 1;
/**
 * Clock sources that are slow to read, because they are devices (`hpet`, `acpi_pm`), or coarse, because they advance
 * only with each timer tick (`jiffies`).
 */
const SLOW_SOURCES = ["hpet", "acpi_pm", "jiffies"];

const clockCheck: DoctorCheck = {
  title: "Clock",
  run({ clock: { stepUs, source } }): CheckResult {
    const from = source === null ? "" : `, from ${source}`;
    const found = `steps of ${threeDigitsText(stepUs)} µs${from}`;
    if (source !== null && SLOW_SOURCES.includes(source)) {
      return advise(
        found,
        "this clock is coarse or slow to read: let the kernel use tsc, or use another machine",
      );
    }
    if (stepUs <= COARSE_US) return ok(found);
    return advise(found, "shorter times cannot be told apart: use another machine");
  },
};

const driverCheck: DoctorCheck = {
  title: "Driver",
  run({ driver: { driver, note, tls } }): CheckResult {
    const found = tls === undefined ? driver : `${driver}, TLS by ${tls}`;
    return note === null ? ok(found) : advise(found, note);
  },
};

const generatorCheck: DoctorCheck = {
  title: "Generator",
  run({ calibration }): CheckResult {
    if (calibration === null) return unknown("the load generator could not be calibrated");
    const { peakThroughput, baselineLatency } = calibration;
    return ok(
      `at most ${countText(peakThroughput)} requests/s with one worker, and a median latency of ` +
        `${
          threeDigitsText(baselineLatency)
        } ms with one connection, against a server that does nothing`,
    );
  },
};

// Checks of programs that experiments may need.

const ORIGINS = {
  given: "as you named it",
  found: "found on 127.0.0.1:6379",
  private: "started for each experiment that needs it",
} as const;

const redisCheck: DoctorCheck = {
  title: "Redis",
  run({ redis }): CheckResult {
    if (redis === null) {
      return advise(
        "none",
        "runs that need Redis are left out: apt-get install redis-server, or name a running one with --redis URL",
      );
    }
    if ("problem" in redis) return advise("does not respond", redis.problem);
    return ok(`${redis.version}, ${ORIGINS[redis.kind]}`);
  },
};

const nginxCheck: DoctorCheck = {
  title: "nginx",
  run({ nginx }): CheckResult {
    if (nginx !== null) return ok(nginx);
    return advise("none", "targets that use nginx can't be started: apt-get install nginx");
  },
};

// Checks of the system around Plateau: its limits, and its container or virtual machine.

const GB = 1e9;

export const system: DoctorCheck = {
  title: "System",
  run({ machine: { os, kernel, arch, deno } }): CheckResult {
    const found = `${os} ${kernel}, ${arch}, Deno ${deno}`;
    if (os === "linux") return ok(found);
    return advise(
      found,
      "much of what Plateau does to keep measurements steady, and to notice disturbances, works only on Linux",
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
    if (os !== "linux") return unknown("limits are read from control groups, which only Linux has");
    const found = [
      ...cores === null ? [] : [`CPU time of ${coresWord(cores)}`],
      ...memory === null ? [] : [`${threeDigitsText(memory / GB)} GB of memory`],
    ].join(", ") || "none";
    if (cores === null || cores >= allowedCores) return ok(found);
    return advise(
      found,
      "a program that has used up its CPU time is paused until the next period (usually 100 ms), which " +
        "raises latencies: limit it to whole cores instead, as docker run --cpuset-cpus does",
    );
  },
};

export const container: DoctorCheck = {
  title: "Container",
  run({ machine: { container } }): CheckResult {
    if (container === null) return ok("none");
    return advise(
      container,
      "programs outside the container are not visible from inside: measure on the machine itself if you can",
    );
  },
};

const virtualMachine: DoctorCheck = {
  title: "Virtual",
  run({ machine: { os, virtual } }): CheckResult {
    if (os !== "linux") return unknown("it can be detected only on Linux");
    if (virtual === null) return ok("no sign of a virtual machine");
    return advise(
      virtual,
      "its cores are shared with machines that are not visible from here: compare only runs measured " +
        "side by side, in one experiment",
    );
  },
};

/**
 * If a process may open fewer files than this, the check advises raising the limit. This many suffice for most loads.
 */
const FEW_FILES = 10_000;

export const openFiles: DoctorCheck = {
  title: "Open files",
  run({ machine: { openFiles } }): CheckResult {
    if (openFiles === null) return unknown("the system does not show the limit");
    const found = `${countText(openFiles)} for each process`;
    if (openFiles >= FEW_FILES) return ok(found);
    return advise(found, "every connection is an open file: raise the limit with ulimit -n 65536");
  },
};

/** Number of ports in Linux's default range, 32768 to 60999. */
const USUAL_PORTS = 28_232;

export const ports: DoctorCheck = {
  title: "Ports",
  run({ machine: { ports } }): CheckResult {
    if (ports === null) return unknown("the system does not show the range");
    const [first, last] = ports;
    const found = `${countText(last - first + 1)} for connections (${first}–${last})`;
    if (last - first + 1 >= USUAL_PORTS) return ok(found);
    return advise(
      found,
      "a connection needs a port, and keeps it for a minute after it is closed; for more ports: " +
        'sudo sysctl net.ipv4.ip_local_port_range="10240 65535"',
    );
  },
};

// Checks of the processor: how many cores, how fast, and who else uses them.

const HIDDEN = "the system does not show this, as is usual in virtual machines";

export const cores: DoctorCheck = {
  title: "Processor",
  run({ machine: { cpu, cores, allowedCores } }): CheckResult {
    const usable = allowedCores < cores ? `, ${allowedCores} for Plateau` : "";
    const found = `${cpu}, ${coresWord(cores)}${usable}`;
    if (allowedCores > 1) return ok(found);
    return advise(
      found,
      "on one core, server and generator take turns, so that the figures say more about the scheduler " +
        "than about the server: use two cores or more, or run the server on another machine",
    );
  },
};

export const governor: DoctorCheck = {
  title: "Governor",
  run({ machine: { governor } }): CheckResult {
    if (governor === null) return unknown(HIDDEN);
    if (governor === "performance") return ok(governor);
    return advise(
      governor,
      "cores slow down when they have little to do, and speed up again only after a delay; to keep them " +
        "fast: sudo cpupower frequency-set -g performance",
    );
  },
};

export const turbo: DoctorCheck = {
  title: "Turbo",
  run({ machine: { turbo }, turboSwitch }): CheckResult {
    if (turbo === null) return unknown(HIDDEN);
    if (!turbo) return ok("off");
    const off = turboSwitch?.endsWith("no_turbo") ? 1 : 0;
    return advise(
      "on",
      "the clock speed, and with it every figure, depends on heat and on how many cores are busy; to switch " +
        `turbo off: echo ${off} | sudo tee ${turboSwitch}`,
    );
  },
};

/** CPU use above which the machine is not idle. */
const IDLE_RATIO = 0.05;

const idleLoad: DoctorCheck = {
  title: "Idle load",
  run({ idle: { busyRatio, busiest, seconds }, machine: { allowedCores } }): CheckResult {
    if (busyRatio === null) return unknown("the system does not report CPU use");
    const found = `${shareText(busyRatio)} of ${coresWord(allowedCores)} in use, over ${
      threeDigitsText(seconds)
    } s`;
    if (busyRatio <= IDLE_RATIO) return ok(found);
    const names = busiest.map(({ name, pid, cores }) => `${name} (${pid}) ${coresWord(cores)}`);
    return advise(
      found,
      names.length > 0
        ? `other programs are busy: ${names.join(", ")}; end them, or measure later`
        : "other programs are busy, but not visible from here: they run outside this container, or too briefly to be seen",
    );
  },
};

/**
 * The share of stolen time that is acceptable. A hypervisor always takes a little; more than this shows in the tail of
 * latencies.
 */
const STEAL_RATIO = 0.01;

export const steal: DoctorCheck = {
  title: "Steal",
  run({ idle: { stealRatio } }): CheckResult {
    if (stealRatio === null) return unknown("the system does not report it");
    const found = `${shareText(stealRatio)} of the cores' time went to other virtual machines`;
    if (stealRatio <= STEAL_RATIO) return ok(found);
    return advise(
      found,
      "the hypervisor gives other machines part of these cores' time: measure at another time or elsewhere",
    );
  },
};

/** Checks in the order in which they are shown. */
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
