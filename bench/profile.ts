/**
 * Divides the CPU time of a request into parts: `perf` samples `plateau bench` while it runs, and the samples are added
 * up by kind of work. V8 tells perf the names of its compiled functions; an inlined function counts as part of its
 * caller.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { formatCount } from "../report/writing/units.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { startNginx } from "./stage/nginx.ts";
import { parseMeasurement, plateauCommand } from "./stage/plateau.ts";
import { type Command, placed, start } from "./stage/programs.ts";

const CONNECTIONS = ["50", "1000", "10000"] as const;
/** The seconds after which start-up, dials and compilation are over. */
const SETTLING_S = 2;
const SAMPLES_PER_SEC = 1_999;

/** The parts of the CPU time, in the order in which a request passes through them. */
const PARTS = [
  "kernel: waiting (epoll)",
  "kernel: receiving (recv)",
  "kernel: sending (send)",
  "kernel: other, interrupts among it",
  "libc, the calls of it and the clock",
  "driver",
  "protocol",
  "exchanges",
  "pacer and choice of the request",
  "recorder",
  "the rest of the program and of the runtime",
] as const;
type Part = typeof PARTS[number];

/** The microseconds that a request spends in each part. */
type Profile = Readonly<Record<Part, number>>;

export const profile: Bench = {
  about: "where the CPU time of a request goes, by samples of perf",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const seconds = short ? 1 : 4;
    const seen = await interleaved(
      CONNECTIONS,
      rounds,
      (connections) => profileOf(`${nginx.origin}/`, connections, seconds),
    );
    return CONNECTIONS.map((connections) => sectionOf(Number(connections), seen[connections]));
  },
};

async function profileOf(url: string, connections: string, seconds: number): Promise<Profile> {
  using folder = temporaryFolder();
  const data = join(folder.path, "perf.data");
  const flags = `-w 1 --driver epoll -c ${connections} -d ${SETTLING_S + seconds + 1}s`.split(" ");
  const { pid, output } = start(placed("generator", named(plateauCommand(url, flags))));
  try {
    await sleep(SETTLING_S * 1_000);
    const recording = `perf record -q -e cpu-clock -F ${SAMPLES_PER_SEC} -g -o ${data} -p ${pid}`;
    await start(`${recording} -- sleep ${seconds}`.split(" ")).output;
    const { rate } = parseMeasurement(await output);
    const samples = await start(`perf script -i ${data} -F ip,sym,dso`.split(" ")).output;
    return partsOf(samples, rate * seconds);
  } finally {
    await Deno.remove(`/tmp/perf-${pid}.map`).catch(() => {});
  }
}

/**
 * Adds V8's flags to the command. They make V8 write the names of compiled functions to the file where perf looks for
 * them, and no other log.
 */
function named([program, run, ...args]: Command): Command {
  return [
    program,
    run,
    "--v8-flags=--perf-basic-prof,--no-logfile-per-isolate,--logfile=+",
    ...args,
  ];
}

/**
 * Adds up the samples by part, in microseconds per request.
 *
 * @param samples The samples as perf prints them: one frame a line, innermost first, and an empty line after each
 * sample.
 */
function partsOf(samples: string, requests: number): Profile {
  const profile = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  const sampleUs = 1e6 / SAMPLES_PER_SEC / requests;
  for (const stack of samples.split("\n\n")) {
    if (stack.trim() !== "") profile[partOf(stack.trim().split("\n"))] += sampleUs;
  }
  return profile;
}

function partOf(stack: readonly string[]): Part {
  const [inner] = stack;
  if (inner.includes("[kernel")) return kernelPart(stack);
  if (inner.includes("JS:")) return scriptPart(inner);
  const isCalled = stack.some((frame) => frame.includes("/transports/epoll"));
  if (isCalled || /libc\.so|\[vdso\]/.test(inner)) return "libc, the calls of it and the clock";
  return "the rest of the program and of the runtime";
}

function kernelPart(stack: readonly string[]): Part {
  const call = stack.find((frame) => /_sys_/.test(frame)) ?? "";
  if (call.includes("_sys_epoll")) return "kernel: waiting (epoll)";
  if (call.includes("_sys_recv")) return "kernel: receiving (recv)";
  if (call.includes("_sys_send")) return "kernel: sending (send)";
  return "kernel: other, interrupts among it";
}

/** The part to which a function belongs, by the path of its script; the first match counts. */
const SCRIPTS: readonly (readonly [path: RegExp, part: Part])[] = [
  [/\/runner\/load\/transports\//, "driver"],
  [/\/(?:base\/http|runner\/load\/protocols)\//, "protocol"],
  [/\/runner\/load\/engine\/(?:pacer|request_loop)\./, "pacer and choice of the request"],
  [/\/runner\/load\/engine\//, "exchanges"],
  [/\/runner\/(?:load\/recording|stats)\//, "recorder"],
];

function scriptPart(frame: string): Part {
  const found = SCRIPTS.find(([path]) => path.test(frame));
  return found?.[1] ?? "the rest of the program and of the runtime";
}

function sectionOf(connections: number, profiles: readonly Profile[]): Section {
  const total = (profile: Profile): number => PARTS.reduce((sum, part) => sum + profile[part], 0);
  return {
    caption: `CPU time of a request by part, ${formatCount(connections)} connections`,
    unit: "µs",
    rows: [
      ...PARTS.map((part) => ({
        what: part,
        samples: profiles.map((profile) => profile[part]),
      })),
      { what: "all", samples: profiles.map(total) },
    ],
  };
}
