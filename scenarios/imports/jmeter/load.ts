/** Converts a thread group of a JMeter plan to a load. Refuses anything without an equivalent. */
import { durationText } from "../../../base/quantity.ts";
import { LIMITS } from "../../../base/limits.ts";
import { arriving } from "../format/arriving.ts";
import type { PlanElement, Refusals } from "./elements.ts";
import type { PlanVariables } from "./variables.ts";
import { quotedOpenly } from "../../../base/secrets.ts";

interface GroupLoad {
  readonly load: Readonly<Record<string, unknown>>;
  /** How often the flow goes through the steps of the thread group. */
  readonly rounds: number;
}

const FOR_EVER = -1;

interface Group {
  readonly threads: number;
  readonly rampS: number;
  /** Loops of each thread; FOR_EVER if only the group's duration ends them. */
  readonly loops: number;
  /** Null if the group has no time limit. */
  readonly durationS: number | null;
}

export function groupLoadOf(
  group: PlanElement,
  variables: PlanVariables,
  refusals: Refusals,
): GroupLoad | null {
  const given = groupOf(group, variables, refusals);
  if (given === null) return null;
  const refuse = (why: string, fix: string): null => {
    refusals.add(group, `Cannot convert ${group.called}: ${why}`, fix);
    return null;
  };
  const { threads, rampS, loops, durationS } = given;
  if (loops === FOR_EVER && durationS === null) {
    return refuse("it never ends", "give it a number of loops, or a duration");
  }
  if (loops !== FOR_EVER && durationS !== null) {
    return refuse(
      "it ends after its loops or its duration, whichever comes first",
      "leave one of them out",
    );
  }
  if (durationS === null) return { load: arriving(threads, rampS), rounds: loops };
  if (rampS > 0 && threads > 1) return { load: ramping(threads, rampS, durationS), rounds: 1 };
  return { load: { connections: threads, duration: durationText(durationS * 1_000) }, rounds: 1 };
}

/**
 * The first thread begins immediately, and each further one `eachS` after the one before. Threads that would begin
 * after the end of the load are left out.
 */
function ramping(threads: number, rampS: number, durationS: number): GroupLoad["load"] {
  const eachS = rampS / threads;
  const most = Math.min(threads, Math.ceil(durationS * threads / rampS));
  const risingMs = Math.round((most - 1) * eachS * 1e6) / 1_000;
  const restMs = Math.max(1, durationS * 1_000 - risingMs);
  return {
    stages: [
      ...most > 1 ? [{ duration: durationText(risingMs), connections: 1, rampTo: most }] : [],
      { duration: durationText(restMs), connections: most },
    ],
  };
}

function groupOf(group: PlanElement, variables: PlanVariables, refusals: Refusals): Group | null {
  let isWhole = true;
  const number = (from: PlanElement, name: string, otherwise: number, least: number): number => {
    const text = variables.constant(from.text(name), group).trim();
    const value = text === "" ? otherwise : Number(text);
    if (Number.isInteger(value) && value >= least) return value;
    refusals.add(
      group,
      `Cannot read ${name} of ${group.called} as a whole number: it is ${quotedOpenly(text)}`,
    );
    isWhole = false;
    return least;
  };
  const control = group.inner("ThreadGroup.main_controller");
  const isTimed = group.is("ThreadGroup.scheduler");
  const loops = control === null
    ? 1
    : control.is("LoopController.continue_forever") && control.text("LoopController.loops") === ""
    ? FOR_EVER
    : number(control, "LoopController.loops", 1, FOR_EVER);
  const found = {
    threads: number(group, "ThreadGroup.num_threads", 1, 1),
    rampS: number(group, "ThreadGroup.ramp_time", 0, 0),
    loops,
    durationS: isTimed ? number(group, "ThreadGroup.duration", 0, 1) : null,
  };
  if (loops === 0 || loops > LIMITS.steps.most) {
    refusals.add(group, `Cannot convert ${loops} loops: write 1 to ${LIMITS.steps.most}`);
    return null;
  }
  return isWhole ? found : null;
}
