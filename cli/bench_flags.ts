/** The flags of `plateau bench`, and the request that they describe. */
import { z } from "zod";
import type { BenchRequest } from "../runner/bench.ts";
import type { Problem } from "../scenarios/errors.ts";
import * as load from "../scenarios/load.ts";
import { METHODS, type Scenario, scenarioSpec } from "../scenarios/request.ts";
import type { Given, Parts, Values } from "./command.ts";
import { quietFlag, redisFlag, seedFlag } from "./flags.ts";
import { outputConflicts, outputFlags } from "./outputs.ts";
import { header, httpUrl, statuses, textOrFile, wholeNumber } from "./values.ts";

export const benchParts = {
  url: { operand: "<URL>", about: "http://host:port/path", schema: httpUrl },
  connections: {
    flags: "-c, --connections <N>",
    about: "Connections, each of which asks again when it has its answer",
    preset: "50",
    schema: wholeNumber(load.connections),
  },
  duration: {
    flags: "-d, --duration <D>",
    about: "How long (default: 10s)",
    schema: load.duration.optional(),
  },
  requests: {
    flags: "-n, --requests <N>",
    about: "Ends after this many requests instead",
    schema: wholeNumber(load.requests).optional(),
  },
  workers: {
    flags: "-w, --workers <N>",
    about: "Worker isolates; chosen from the machine when it is not given",
    schema: wholeNumber(load.workers).optional(),
  },
  timeout: {
    flags: "-t, --timeout <D>",
    about: "A request without its whole answer by then has failed",
    preset: "5s",
    schema: load.timeout,
  },
  method: {
    flags: "-m, --method <M>",
    about: `Method: ${METHODS.join(", ")}`,
    preset: "get",
    schema: z.string().toLowerCase().pipe(z.enum(METHODS)),
  },
  header: {
    flags: '-H, --header <"k: v">',
    about: "Header field; may be repeated",
    repeatable: true,
    schema: z.array(header).default([]),
  },
  body: {
    flags: "-b, --body <TEXT|@FILE>",
    about: "Body of the request",
    schema: textOrFile.optional(),
  },
  pipeline: {
    flags: "--pipeline <N>",
    about: "Requests in flight on each connection",
    preset: "1",
    schema: wholeNumber(load.pipeline),
  },
  keepalive: {
    flags: "--no-keepalive",
    about: "A new connection for every request",
    schema: z.boolean().default(true),
  },
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
  interval: {
    flags: "--interval <D>",
    about: "Step of the timeline",
    preset: "250ms",
    schema: load.interval,
  },
  driver: {
    flags: "--driver <auto|epoll|tcp>",
    about: "How the workers do their I/O",
    preset: "auto",
    schema: z.enum(["auto", "epoll", "tcp"]),
  },
  ...outputFlags,
  ...quietFlag,
  ...seedFlag,
  ...redisFlag,
} satisfies Parts;

export type BenchValues = Values<typeof benchParts>;

export function benchConflicts(given: Given): Problem[] {
  const both = given.duration !== undefined && given.requests !== undefined;
  const message = "Cannot end by both --duration and --requests";
  return [
    ...both ? [{ place: "--requests", message, fix: "leave one out" }] : [],
    ...outputConflicts(given),
  ];
}

export function benchRequest(values: BenchValues): BenchRequest {
  const { url, connections, pipeline, keepalive, timeout, driver, interval } = values;
  const { duration = load.DEFAULT_DURATION_MS, requests = null, workers = null } = values;
  return {
    url,
    driver,
    scenario: scenarioOf(values),
    load: {
      kind: "closed",
      connections,
      pipeline,
      keepAlive: keepalive,
      timeoutMs: timeout,
      durationMs: requests === null ? duration : null,
      requests,
      workers,
    },
    intervalMs: interval,
  };
}

function scenarioOf(
  { url, method, header, body, expectStatus, expectBody }: BenchValues,
): Scenario {
  return scenarioSpec.parse({
    [method]: url.pathname + url.search,
    headers: combined(header),
    body,
    expect: { status: expectStatus, body: expectBody },
  });
}

/** A field that is given twice is a list (RFC 9110 §5.3); only Cookie is joined differently (RFC 6265 §5.4). */
function combined(
  fields: readonly (readonly [name: string, value: string])[],
): Record<string, string> {
  const byName = Map.groupBy(fields, ([name]) => name.toLowerCase());
  return Object.fromEntries([...byName].map(([name, given]) => [
    given[0][0],
    given.map(([, value]) => value).join(name === "cookie" ? "; " : ", "),
  ]));
}
