/** The situations in which every server of the field trials is tried, and which outcome of each is correct. */
import type { DriverName } from "../../runner/load/engine/driver.ts";
import type { Measurement } from "../../runner/result/result.ts";
import type { Way } from "./server.ts";

export interface Tried {
  readonly measurement: Measurement;
  readonly exitCode: number;
  readonly way: Way;
  readonly driver: DriverName;
  readonly tookMs: number;
}

export interface Situation {
  readonly name: string;
  readonly about: string;
  readonly ways?: readonly Way[];
  /** The keys of the request, as in an experiment file. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly load?: Readonly<Record<string, unknown>>;
  /** What happens during the load: the server is reloaded, or the load is stopped. */
  readonly meanwhile?: "reload" | "stop";
  /** Describes what is wrong with the outcome; null if nothing is. */
  readonly fault: (tried: Tried) => string | null;
}

const SMALL = "Hello, field!\n";
const HTTP2: readonly Way[] = ["h2c", "h2"];
const PLAIN: readonly Way[] = ["http1", "h2c", "h2"];

const all = (status: number, count: number) => ({ measurement }: Tried): string | null => {
  const { requests, status: seen, checks } = measurement;
  if (requests.completed === count && seen[status] === count && checks.failed === 0) return null;
  return `expected ${count} responses with ${status}`;
};

/** Describes the fault if there were failures of a kind not in `kinds`; null otherwise. */
function otherKinds({ measurement: { errors } }: Tried, kinds: readonly string[]): string | null {
  const others = Object.entries(errors).filter(([kind, n]) => n > 0 && !kinds.includes(kind));
  return others.length > 0 ? `failures that are not ${kinds.join(" or ")}` : null;
}

/**
 * The most reconnects that are no fault: each of the load's two connections may have reached the server's limit of
 * requests per connection once.
 */
const MOST_DIALS = 2;

/**
 * Describes the fault if HTTP/2 connections were opened again more than MOST_DIALS times although only single streams
 * failed: a stream that is reset, or a malformed response, must not end its connection. Null otherwise.
 */
function dialedAgain({ way, measurement: { errors, reasons, reconnects } }: Tried): string | null {
  if (!HTTP2.includes(way) || reconnects <= MOST_DIALS || (errors.closed ?? 0) > 0) return null;
  const isEnd = Object.keys(reasons).some((reason) => !/^(RST_STREAM|content of)/.test(reason));
  return isEnd ? null : "a connection was given up for a stream";
}

/** The first situation for every way, so that no server is judged while its code is still being compiled. */
export const warmUp: Situation = {
  name: "warm-up",
  about: "200 responses that nobody judges",
  request: { get: "/small" },
  load: { requests: 200, connections: 4 },
  fault: () => null,
};

export const situations: readonly Situation[] = [
  {
    name: "small",
    about: "200 responses of 14 octets, compared with the right body",
    request: { get: "/small", expect: { status: 200, body: SMALL } },
    load: { requests: 200, connections: 4 },
    fault: all(200, 200),
  },
  {
    name: "big",
    about: "20 responses of 1 MB",
    ways: PLAIN,
    request: { get: "/big", expect: { status: 200 } },
    load: { requests: 20, connections: 2 },
    fault: (tried) =>
      all(200, 20)(tried) ??
        (tried.measurement.bytes.in < 20_000_000 ? "fewer octets than the bodies have" : null),
  },
  {
    name: "head",
    about: "HEAD of 1 MB",
    ways: PLAIN,
    request: { head: "/big", expect: { status: 200 } },
    load: { requests: 50, connections: 2 },
    fault: (tried) =>
      all(200, 50)(tried) ?? (tried.measurement.bytes.in > 50_000 ? "a body came" : null),
  },
  {
    name: "204",
    about: "a status without content",
    ways: PLAIN,
    request: { get: "/204", expect: { status: 204 } },
    load: { requests: 50, connections: 2 },
    fault: all(204, 50),
  },
  {
    name: "304",
    about: "another one",
    ways: PLAIN,
    request: { get: "/304", expect: { status: 304 } },
    load: { requests: 50, connections: 2 },
    fault: all(304, 50),
  },
  {
    name: "post",
    about: "bodies of 100 kB, whose length the server responds with",
    request: { post: "/post", body: "x".repeat(100_000), expect: { status: 200, body: "100000" } },
    load: { requests: 40, connections: 4 },
    fault: all(200, 40),
  },
  {
    name: "chunked",
    about: "responses without a length",
    ways: PLAIN,
    request: { get: "/chunked", expect: { status: 200, body: "one\ntwo\nthree\n" } },
    load: { requests: 40, connections: 4 },
    fault: all(200, 40),
  },
  {
    name: "gzip",
    about: "compressed when requested so",
    ways: PLAIN,
    request: { get: "/gzip", headers: { "accept-encoding": "gzip" }, expect: { status: 200 } },
    load: { requests: 40, connections: 4 },
    fault: all(200, 40),
  },
  {
    name: "recycled",
    about: "300 requests on each of 2 connections, of which servers take 100 where they count them",
    request: { get: "/small", expect: { status: 200, body: SMALL } },
    load: { requests: 600, connections: 2 },
    fault: all(200, 600),
  },
  {
    name: "recycled streams",
    about: "the same with 5 streams at a time: those that a GOAWAY names still get their responses",
    ways: HTTP2,
    request: { get: "/small", expect: { status: 200, body: SMALL } },
    load: { requests: 600, connections: 2, pipeline: 5 },
    fault: all(200, 600),
  },
  {
    name: "streams",
    about:
      "20 streams on each of 2 connections, of which servers take 8 at a time where they have a limit: the others wait",
    ways: HTTP2,
    request: { get: "/small", expect: { status: 200, body: SMALL } },
    load: { requests: 400, connections: 2, pipeline: 20 },
    fault: all(200, 400),
  },
  {
    name: "idle",
    about: "a request every 4 s, where servers close what is idle for 3 s",
    request: { get: "/small", expect: { status: 200, body: SMALL } },
    load: { rate: 0.25, connections: 1, durationMs: 12_000 },
    fault: all(200, 3),
  },
  {
    name: "slow",
    about: "responses after 300 ms",
    ways: PLAIN,
    request: { get: "/slow", expect: { status: 200 } },
    load: { requests: 8, connections: 4 },
    fault: (tried) =>
      all(200, 8)(tried) ??
        (tried.measurement.latency.min !== null && tried.measurement.latency.min < 295
          ? "responses faster than the server"
          : null),
  },
  {
    name: "time-out",
    about: "the same with a time-out of 100 ms",
    request: { get: "/slow" },
    load: { requests: 12, connections: 4, timeout: 100 },
    fault: (tried) => {
      const { requests, errors } = tried.measurement;
      return requests.failed === 12 && errors.timeout === 12 ? null : "expected 12 time-outs";
    },
  },
  {
    name: "crash",
    about: "a handler that dies before its response",
    request: { get: "/crash" },
    load: { requests: 12, connections: 2, timeout: 6_000 },
    fault: (tried) => {
      const { requests, status } = tried.measurement;
      const areErrors = Object.keys(status).every((code) => /^50\d$/.test(code));
      if (!areErrors) return "a response that says it went well";
      if (requests.completed + requests.failed !== 12) return "requests without an outcome";
      return otherKinds(tried, ["closed", "reset"]) ?? dialedAgain(tried);
    },
  },
  {
    name: "cut",
    about: "a handler that dies within the body, after 5 of 100 octets",
    request: { get: "/cut" },
    load: { requests: 12, connections: 2, timeout: 6_000 },
    fault: (tried) => {
      const { requests, status } = tried.measurement;
      const areErrors = Object.keys(status).every((code) => /^50\d$/.test(code));
      if (!areErrors || requests.failed + requests.completed !== 12) return "expected 12 failures";
      if (requests.failed === 0) return "expected failures, and not errors of a gateway alone";
      return otherKinds(tried, ["closed", "reset", "protocol"]) ?? dialedAgain(tried);
    },
  },
  {
    name: "wrong status",
    about: "503 where 200 is expected",
    ways: PLAIN,
    request: { get: "/503", expect: { status: 200 } },
    load: { requests: 40, connections: 4 },
    fault: ({ measurement: { requests, status, checks }, exitCode }) =>
      requests.completed === 40 && status[503] === 40 && checks.failed === 40 && exitCode === 1
        ? null
        : "expected 40 wrong responses and exit code 1",
  },
  {
    name: "early 413",
    about: "bodies of 1 MB that the server refuses before it has read them",
    request: { post: "/limited", body: "x".repeat(1_000_000), expect: { status: 413 } },
    load: { requests: 30, connections: 2 },
    fault: (tried) => {
      const { requests, status } = tried.measurement;
      if ((status[413] ?? 0) !== requests.completed) return "responses other than 413";
      if (requests.completed < 27) return "fewer than 27 of 30 responses with 413";
      return otherKinds(tried, ["closed", "reset"]);
    },
  },
  {
    name: "open loop",
    about: "50 requests a second for 2 s, of which none fails",
    ways: PLAIN,
    request: { get: "/small", expect: { status: 200, body: SMALL } },
    load: { rate: 50, connections: 20, durationMs: 2_000 },
    fault: ({ measurement: { requests, status } }) =>
      requests.failed + requests.unfinished === 0 && (status[200] ?? 0) === requests.completed
        ? null
        : "a request failed",
  },
  {
    name: "deadline",
    about: "requests in flight at the end of the load, which are waited for",
    ways: PLAIN,
    request: { get: "/slow", expect: { status: 200 } },
    load: { connections: 4, durationMs: 1_000 },
    fault: ({ measurement: { requests, drain } }) =>
      requests.failed + requests.unfinished === 0 && (drain?.completed ?? 0) > 0
        ? null
        : "requests in flight at the deadline were not waited for",
  },
  {
    name: "stopped",
    about: "the same, interrupted: what is in flight is unfinished",
    ways: PLAIN,
    request: { get: "/slow", expect: { status: 200 } },
    load: { connections: 4, durationMs: 20_000 },
    meanwhile: "stop",
    fault: ({ measurement: { requests }, tookMs }) =>
      requests.failed === 0 && requests.unfinished > 0 && tookMs < 5_000
        ? null
        : "expected unfinished requests and an end within 5 s",
  },
  {
    name: "reload",
    about: "200 requests a second for 3 s, while the server replaces its workers",
    ways: PLAIN,
    request: { get: "/small", expect: { status: 200, body: SMALL } },
    load: { rate: 200, connections: 20, durationMs: 3_000 },
    meanwhile: "reload",
    fault: (tried) => {
      const { requests } = tried.measurement;
      if (requests.failed > 20) return "more failures than connections could be cut";
      return otherKinds(tried, ["closed", "reset"]);
    },
  },
];
