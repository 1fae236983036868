/**
 * Checks a plan for targets whose port is fixed. Runs are made one after the other, so only servers that outlive a run
 * can conflict. A plan in which two servers would need the same port at the same time is refused. Pure.
 */
import { type Problem, UserError } from "../../base/errors.ts";
import { fixedPortOf, type TargetSpec } from "../../base/target/target_shape.ts";

/** The settings that decide which processes of targets exist at the same time. */
export interface ServingTimes {
  /** Whether a target's process ends with its run, rather than being kept. */
  readonly fresh: boolean;
  /**
   * here: the preflight checks the processes that the runs use; apart: it checks processes of its own, which exist at
   * the same time as kept ones.
   */
  readonly prove: "here" | "apart";
}

/** The target of a cell, and the targets behind it, to which it passes requests on. */
interface StartedTarget {
  readonly target: string;
  readonly targetSpec: TargetSpec;
  readonly others: Readonly<Record<string, TargetSpec>>;
}

/** A process that a run starts, with the port on which it listens. */
interface Occupant {
  /** The target that the run loads. */
  readonly target: string;
  readonly place: string;
  readonly port: number;
  /** Identifies the process. Runs that share a kept process have equal values. */
  readonly process: string;
}

/** Throws a UserError that lists every port that two servers would need at the same time. */
export function checkPorts(cells: readonly StartedTarget[], times: ServingTimes): void {
  const occupants = cells.flatMap(occupantsOf);
  const problems = [
    ...outsideProblems(cells, occupants),
    ...times.fresh ? [] : keptProblems(occupants, times),
  ];
  if (problems.length > 0) throw new UserError(problems);
}

function occupantsOf({ target, targetSpec, others }: StartedTarget): Occupant[] {
  const process = JSON.stringify([target, targetSpec, others]);
  return Object.entries({ ...others, [target]: targetSpec }).flatMap(([name, spec]) => {
    const port = "command" in spec ? fixedPortOf(spec) : null;
    return port === null ? [] : [{ target, place: `targets.${name}`, port, process }];
  });
}

/**
 * A problem for each port on which two kept processes, or a kept one and a process of the preflight, would listen. Kept
 * processes exist until the end, and thus also during a preflight with processes of its own.
 */
function keptProblems(occupants: readonly Occupant[], { prove }: ServingTimes): Problem[] {
  return [...Map.groupBy(occupants, ({ port }) => port).values()].flatMap((group) => {
    const [{ place, port, target }] = group;
    const other = group.find(({ process }) => process !== group[0].process);
    const isCheckedBeside = prove === "apart" && group.length > 1;
    if (other === undefined && !isCheckedBeside) return [];
    const second = other === undefined
      ? "the process of its preflight check (prove: apart)"
      : other.target === target
      ? `another variant of "${target}"`
      : `"${other.target}"`;
    const message =
      `Cannot keep "${target}" running on port ${port}: ${second} needs that port, too`;
    return [{
      place,
      message,
      fix: "leave fresh: false out, so that each run has its own process",
    }];
  });
}

/**
 * A problem for each target whose fixed port is also that of a server at a URL of this machine. Plateau neither starts
 * nor stops such a server, so it occupies its port all the time.
 */
function outsideProblems(
  cells: readonly StartedTarget[],
  occupants: readonly Occupant[],
): Problem[] {
  const outside = new Map(
    cells.flatMap(({ target, targetSpec, others }) =>
      Object.entries({ ...others, [target]: targetSpec }).flatMap(([name, spec]) =>
        localPortsOf(spec).map((port) => [port, name] as const)
      )
    ),
  );
  const first = new Map(occupants.map((occupant) => [occupant.place, occupant]));
  return [...first.values()].flatMap(({ place, port }) => {
    const other = outside.get(port);
    if (other === undefined) return [];
    const message = `Cannot listen on port ${port}: the server at the URL of "${other}" uses it`;
    return [{
      place,
      message,
      fix: "use another port for one of the two, or measure them in two experiments",
    }];
  });
}

/** The loopback ports on which the target needs a server that is already running. */
function localPortsOf(spec: TargetSpec): number[] {
  const url = "url" in spec && spec.unix === undefined
    ? spec.url
    : "proxy" in spec
    ? spec.proxy.origin
    : "nginx" in spec
    ? spec.nginx.proxy ?? ""
    : "";
  const { protocol, hostname, port } = URL.parse(url) ?? {};
  if (hostname === undefined || !LOOPBACK_HOST.test(hostname)) return [];
  return [port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)];
}

const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
