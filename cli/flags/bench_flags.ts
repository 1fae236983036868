/** The flags of `plateau bench`. */
import { z } from "zod";
import type { Problem } from "../../base/errors.ts";
import * as load from "../../scenarios/load/load_spec.ts";
import type { Load } from "../../scenarios/load/load.ts";
import { METHODS } from "../../scenarios/request/request.ts";
import {
  type CommandParts,
  type ParsedValues,
  type RawArguments,
  under,
} from "../command_line/command.ts";
import { fleetConflicts, fleetFlags } from "./fleet_flags.ts";
import { quietFlag, redisFlag, seedFlag, strictFlag, thresholdFlags } from "./flags.ts";
import { outputConflicts, outputFlags } from "./output_flags.ts";
import {
  certificates,
  header,
  httpUrl,
  integerText,
  socket,
  statuses,
  textOrFile,
} from "./values.ts";
import { accessMisfits } from "../../base/target/access.ts";

const loadFlags = {
  connections: {
    flags: "-c, --connections <N>",
    about: "Connections over all workers (default: 50); with --phases, visitors at once " +
      "(default: 10000)",
    schema: integerText(load.connections).optional(),
  },
  duration: {
    flags: "-d, --duration <D>",
    about: "How long, such as 500ms, 30s or 5m (default: 10s)",
    schema: load.duration.optional(),
  },
  requests: {
    flags: "-n, --requests <N>",
    about: "Ends after this many requests instead of a duration",
    schema: integerText(load.requests).optional(),
  },
  rate: {
    flags: "-r, --rate <R>",
    about:
      "Open loop: requests arrive at this rate, such as 1000/s, whether or not a connection is free",
    schema: load.rate.optional(),
  },
  phases: {
    flags: "--phases <D@R,…>",
    about:
      'Open loop: visitors arrive, each with a connection of its own: "30s@10/s,60s@50/s..200/s" is 30 s ' +
      "at 10/s, then 60 s from 50/s to 200/s; 10s@0/s is a pause",
    schema: load.phases.optional(),
  },
  arrivals: {
    flags: "--arrivals <uniform|poisson>",
    about: "When they arrive in an open loop: uniform, evenly spread, or poisson, by chance, as " +
      "independent people come (default: uniform)",
    schema: load.arrivals.optional(),
  },
  workers: {
    flags: "-w, --workers <N>",
    about: "Threads that load; chosen from the machine when it is not given",
    schema: integerText(load.workers).optional(),
  },
  timeout: {
    flags: "-t, --timeout <D>",
    about: "A request has failed when its whole answer is not there by then",
    preset: "5s",
    schema: load.timeout,
  },
  pipeline: {
    flags: "--pipeline <N>",
    about: "Requests in flight on each connection",
    preset: "1",
    schema: integerText(load.pipeline),
  },
  keepalive: {
    flags: "--no-keepalive",
    about: "A new connection for every request",
    schema: z.boolean().default(true),
  },
} satisfies CommandParts;

const requestFlags = {
  method: {
    flags: "-m, --method <M>",
    about: `Method: ${METHODS.join(", ")}`,
    preset: "get",
    schema: z.string().toLowerCase().pipe(z.enum(METHODS)),
  },
  header: {
    flags: '-H, --header <"k: v">',
    about: "Header field of the request; may be repeated",
    repeatable: true,
    schema: z.array(header).default([]),
  },
  body: {
    flags: "-b, --body <TEXT|@FILE>",
    about: "Body of the request, as it is, or from a file; its content-type is a header",
    schema: textOrFile.optional(),
  },
} satisfies CommandParts;

const accessFlags = {
  insecure: {
    flags: "--insecure",
    about: "Takes any certificate of an https server",
    schema: z.boolean().default(false),
  },
  cacert: {
    flags: "--cacert <FILE>",
    about: "Certificates (PEM) of authorities to trust besides the usual ones",
    schema: certificates.optional(),
  },
  unix: {
    flags: "--unix <PATH>",
    about: "Unix socket to dial in place of the URL's host",
    schema: socket.optional(),
  },
} satisfies CommandParts;

const checkFlags = {
  expectStatus: {
    flags: "--expect-status <N>",
    about: "Status of a right answer, or several: 200,204; exit code 1 when there is another",
    schema: statuses.optional(),
  },
  expectBody: {
    flags: "--expect-body <TEXT>",
    about: "Whole body of a right answer; exit code 1 when there is another",
    schema: z.string().optional(),
  },
  ...thresholdFlags,
} satisfies CommandParts;

const resultFlags = {
  ...outputFlags,
  log: {
    flags: "--log <FILE>",
    about:
      "Writes a line for every request: code;start;end;connection, in nanoseconds; code 0 is " +
      "a failed one",
    schema: z.string().min(1).refine(
      (path) => path !== "-",
      "Cannot write it to standard output: name a file",
    )
      .optional(),
  },
  interval: {
    flags: "--interval <D>",
    about: "Step of the timeline",
    preset: "250ms",
    schema: load.interval,
  },
  ...strictFlag,
  ...quietFlag,
} satisfies CommandParts;

const otherFlags = {
  driver: {
    flags: "--driver <auto|epoll|tcp>",
    about: "How bytes are sent and read: epoll, the fastest, on Linux and without TLS; tcp, " +
      "everywhere; auto, the better one that works",
    preset: "auto",
    schema: z.enum(["auto", "epoll", "tcp"]),
  },
  like: {
    flags: "--like <COMMAND>",
    about: "Takes over a command line of wrk, wrk2, oha, hey, ab, autocannon or curl, such as " +
      "'wrk -c 100 -d 30s http://127.0.0.1/'; flags beside it count for more",
    schema: z.string().optional(),
  },
  ...seedFlag,
} satisfies CommandParts;

const fromOthersFlags = {
  ...fleetFlags,
  ...redisFlag,
  redis: { ...redisFlag.redis, about: "Redis at which the agents wait; also as REDIS_URL" },
} satisfies CommandParts;

export const benchParts = {
  url: { operand: "<URL>", about: "http://host:port/path, or https", schema: httpUrl },
  ...under("Load:", loadFlags),
  ...under("Request:", requestFlags),
  ...under("Way to the server:", accessFlags),
  ...under("Checks:", checkFlags),
  ...under("Results:", resultFlags),
  ...under("Load from other machines:", fromOthersFlags),
  ...under("Other:", otherFlags),
} satisfies CommandParts;

export type BenchValues = ParsedValues<typeof benchParts>;

export function benchConflicts(given: RawArguments): Problem[] {
  return [
    ...loadConflicts(given),
    ...accessConflicts(given),
    ...fleetConflicts(given),
    ...outputConflicts(given),
  ];
}

function loadConflicts(given: RawArguments): Problem[] {
  const kind = kindOf(given);
  if (kind === "closed" && given.duration !== undefined && given.requests !== undefined) {
    const message = "Cannot end by both --duration and --requests";
    return [{ place: "--requests", message, fix: "leave one out" }];
  }
  if (given.keepalive !== undefined && (given.pipeline ?? "1") !== "1") {
    const message =
      "Cannot send several requests at once on a connection that ends with its answer";
    return [{ place: "--pipeline", message, fix: "leave it or --no-keepalive out" }];
  }
  const isThere: RawArguments = {
    ...given,
    pipeline: given.pipeline === "1" ? undefined : given.pipeline,
  };
  return Object.entries(load.LOAD_CONFLICTS[kind])
    .filter(([flag]) => isThere[flag] !== undefined)
    .map(([flag, why]) => ({ place: `--${flag}`, message: `Cannot use this here: ${why}` }));
}

function kindOf(given: RawArguments): Load["kind"] {
  if (given.phases !== undefined) return "phases";
  return given.rate === undefined ? "closed" : "rate";
}

/** Flags for what a URL does not tell of the way to its server: certificates, and a unix socket. */

function accessConflicts(given: RawArguments): Problem[] {
  return accessMisfits(given).map(({ key, ...problem }) => ({ place: `--${key}`, ...problem }));
}
