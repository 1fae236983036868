/** Checks of the processor: how many cores, how fast, and who else uses them. */
import {
  advise,
  type CheckResult,
  coresWord,
  type DoctorCheck,
  ok,
  shareText,
  threeDigitsText,
  unknown,
} from "./check.ts";

const HIDDEN = "the system does not show it, as in most virtual machines";

export const cores: DoctorCheck = {
  title: "Processor",
  run({ machine: { cpu, cores, allowedCores } }): CheckResult {
    const usable = allowedCores < cores ? `, ${allowedCores} for Plateau` : "";
    const found = `${cpu}, ${coresWord(cores)}${usable}`;
    if (allowedCores > 1) return ok(found);
    return advise(
      found,
      "on one core server and generator take turns, and the figures say more about the scheduler " +
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
      "cores slow down when there is little to do, and speed up late: " +
        "sudo cpupower frequency-set -g performance",
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
      "the clock speed, and so every figure, depends on heat and on how many cores work; to switch " +
        `it off: echo ${off} | sudo tee ${turboSwitch}`,
    );
  },
};

/** More than this is not idle. */
const IDLE_RATIO = 0.05;

export const idleLoad: DoctorCheck = {
  title: "Idle load",
  run({ idle: { busyRatio, busiest, seconds }, machine: { allowedCores } }): CheckResult {
    if (busyRatio === null) return unknown("the system does not count it");
    const found = `${shareText(busyRatio)} of ${coresWord(allowedCores)} in use, over ${
      threeDigitsText(seconds)
    } s`;
    if (busyRatio <= IDLE_RATIO) return ok(found);
    const names = busiest.map(({ name, pid, cores }) => `${name} (${pid}) ${coresWord(cores)}`);
    return advise(
      found,
      names.length > 0
        ? `somebody else is at work: ${names.join(", ")}; end it, or measure later`
        : "somebody is at work whom we can't see from here, outside this container or too short-lived",
    );
  },
};

/** A hypervisor takes some now and then; more than this shows in the tail of latencies. */
const STEAL_RATIO = 0.01;

export const steal: DoctorCheck = {
  title: "Steal",
  run({ idle: { stealRatio } }): CheckResult {
    if (stealRatio === null) return unknown("the system does not count it");
    const found = `${shareText(stealRatio)} of the time went to other machines`;
    if (stealRatio <= STEAL_RATIO) return ok(found);
    return advise(
      found,
      "the hypervisor gives this machine's cores to others: measure at another time or elsewhere",
    );
  },
};
