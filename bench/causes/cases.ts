/**
 * The causes of slowness that the bench plants in servers on each runtime, and the kinds of bottleneck that count as a
 * correct finding for each cause.
 */
import { fileURLToPath } from "node:url";
import type { Bottleneck } from "../../runner/result/findings.ts";
import { type Command, start } from "../stage/programs.ts";

type BottleneckKind = Bottleneck["kind"];

export const SERVERS = fileURLToPath(new URL("./servers", import.meta.url));

export interface Cause {
  readonly what: string;
  /** The server's arguments, separated by spaces; FOLDER is replaced by the path of a folder on persistent storage. */
  readonly words: string;
  /** The kinds of bottleneck that count as correct; reporting any one of them is enough. */
  readonly kinds: readonly BottleneckKind[];
  /** The runtimes on which the cause is planted; absent: all. */
  readonly runtimes?: readonly string[];
}

/** Causes that are measured under the same load, in one experiment. */
export interface CauseGroup {
  readonly name: string;
  /** The load section of the experiment file, in YAML. */
  readonly load: string;
  readonly needs?: string;
  /** A program that runs beside the servers; absent: none. */
  readonly beside?: "name server" | "neighbour";
  readonly causes: readonly Cause[];
}

/** The bottlenecks that may be reported for a server without a planted cause. */
const HEALTHY: readonly BottleneckKind[] = ["core", "cores", "kernel", "generator", "unknown"];
const LOOPS = ["Node", "Deno", "Python"];

export const GROUPS: readonly CauseGroup[] = [
  {
    name: "busy",
    load: "{ duration: 1s, connections: 8 }",
    causes: [
      { what: "a full core", words: "work 2 8", kinds: ["core"], runtimes: ["Node", "Deno"] },
      // Both kinds, because Python's threads run one at a time, on one core, while Go's can use all
      // cores.
      {
        what: "full cores",
        words: "work 2 8",
        kinds: ["core", "cores"],
        runtimes: ["Go", "Python"],
      },
      { what: "a lock", words: "lock", kinds: ["lock"] },
      { what: "a wait of 20 ms", words: "waiting", kinds: ["waiting"] },
      { what: "a storm of allocations", words: "storm", kinds: ["gc"] },
      { what: "a healthy server, closed loop", words: "", kinds: HEALTHY },
    ],
  },
  {
    name: "redis",
    load: "{ duration: 1s, connections: 8 }",
    needs: "redis",
    causes: [{ what: "a slow Redis", words: "redis", kinds: ["redis"] }],
  },
  {
    name: "calm",
    load: "{ rate: 200/s, duration: 4s, connections: 20 }",
    causes: [
      {
        what: "a blocked event loop",
        words: "blocked",
        kinds: ["blocked-loop"],
        runtimes: LOOPS,
      },
    ],
  },
  {
    name: "served",
    load: "{ rate: 200/s, duration: 1s, connections: 20 }",
    causes: [{ what: "a load that is served", words: "", kinds: ["offered"] }],
  },
  {
    name: "few",
    load: "{ rate: 400/s, duration: 1s, connections: 2 }",
    causes: [
      {
        what: "two connections for 400 requests/s of 20 ms",
        words: "waiting",
        kinds: ["connections"],
      },
    ],
  },
  {
    name: "storage",
    load: "{ duration: 3s, connections: 4 }",
    causes: [
      { what: "a megabyte to storage a request", words: "fsync FOLDER", kinds: ["storage"] },
    ],
  },
  {
    name: "names",
    load: "{ duration: 3s, connections: 8 }",
    beside: "name server",
    causes: [
      { what: "a name that takes 30 ms to look up", words: "resolve slow.test", kinds: ["names"] },
    ],
  },
  {
    name: "cap",
    load: "{ duration: 4s, connections: 8 }",
    causes: [
      {
        what: "a cap of 4 connections",
        words: "capped 4",
        kinds: ["connection-cap"],
        runtimes: ["Node", "Go", "Python"],
      },
    ],
  },
  {
    name: "neighbour",
    load: "{ duration: 1s, connections: 8 }",
    beside: "neighbour",
    // The neighbour keeps a core busy, which may hide the lock; even then, no wrong cause, such as
    // a pool, may be reported.
    causes: [
      {
        what: "a lock beside a full neighbour, or nothing",
        words: "lock",
        kinds: ["lock", "waiting", "unknown"],
      },
    ],
  },
];

export interface Runtime {
  readonly name: string;
  /** @param folder The folder for build output. */
  readonly command: (folder: string) => Promise<Command>;
  /**
   * Arguments for the runtime itself, placed before the server's; used only for the cause `storm`, a storm of garbage
   * collections. They limit the heap, which would otherwise grow until collections become rare.
   */
  readonly stormy?: string;
  readonly profile: string;
}

const SMALL_HEAP = "--max-old-space-size=140";

export const RUNTIMES: readonly Runtime[] = [
  {
    name: "Node",
    command: () => Promise.resolve(["node", "server.mjs"]),
    stormy: SMALL_HEAP,
    profile: "",
  },
  {
    name: "Deno",
    command: () => Promise.resolve([Deno.execPath(), "run", "-A", "--no-config", "server.mjs"]),
    stormy: `--v8-flags=${SMALL_HEAP}`,
    profile: "",
  },
  { name: "Go", command: builtServer, profile: ", pprof: /debug/pprof/profile" },
  { name: "Python", command: () => Promise.resolve(["python3", "server.py"]), profile: "" },
];

async function builtServer(folder: string): Promise<Command> {
  const program = `${folder}/server`;
  await start(["env", "GO111MODULE=off", "go", "build", "-o", program, `${SERVERS}/server.go`])
    .output;
  return [program];
}

interface Server {
  readonly runtime: Runtime;
  readonly command: Command;
  readonly folder: string;
}

/** The command that starts a server with a planted cause. */
export function commandOf(
  { runtime: { stormy }, command, folder }: Server,
  words: string,
): Command {
  const server = command.findIndex((word) => word.startsWith("server."));
  const more = words === "storm" && stormy !== undefined ? [stormy] : [];
  return [
    ...command.slice(0, Math.max(1, server)),
    ...more,
    ...command.slice(Math.max(1, server)),
    ...words.replace("FOLDER", folder).split(" ").filter((word) => word !== ""),
  ];
}
