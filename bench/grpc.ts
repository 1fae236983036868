/**
 * Measures what a unary gRPC call without TLS costs each client. All clients call the same server, which sends the same
 * response to every call. h2load, from nghttp2, sends a call like any other HTTP request with a body; ghz is based on
 * grpc-go.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Bench, Section } from "./bench.ts";
import { type Generator, Generators, rateOfH2load, rowsOf } from "./stage/cost.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { parseMeasurement, plateauCommand } from "./stage/plateau.ts";
import { compile, PINNING, placed } from "./stage/programs.ts";
import { startServer } from "./stage/server.ts";

const PROTO = fileURLToPath(new URL("../tests/conformance/echo.proto", import.meta.url));
const SERVICE = "conformance.Echo";
const METHOD = "One";
const MESSAGE = '{"text":"ada"}';
/**
 * MESSAGE as a gRPC body: a zero for "not compressed", the length 5 in four bytes, and the text as protobuf field 1.
 */
const BODY = Uint8Array.of(0, 0, 0, 0, 5, 0x0a, 3, 0x61, 0x64, 0x61);

interface Task {
  readonly origin: string;
  /** The path of a file that contains BODY. */
  readonly body: string;
  readonly connections: number;
  readonly streams: number;
}

const GENERATORS = {
  "plateau epoll": plateau("epoll"),
  "plateau tcp": plateau("tcp"),
  h2load: {
    program: "h2load",
    command: ({ origin, body, connections, streams }, seconds) => [
      ...["h2load", "-t1", `-c${connections}`, `-m${streams}`, `-D${seconds}`, "-d", body],
      ...["-H", "content-type: application/grpc", "-H", "te: trailers"],
      `${origin}/${SERVICE}/${METHOD}`,
    ],
    ratePerSec: rateOfH2load,
  },
  ghz: {
    program: "ghz",
    command: ({ origin, connections, streams }, seconds) => [
      ...["ghz", "--insecure", "--proto", PROTO, "--import-paths", dirname(PROTO)],
      ...["--call", `${SERVICE}.${METHOD}`, "--data", MESSAGE, "--cpus", "1", "--format", "json"],
      ...["--concurrency", `${connections * streams}`, "--connections", `${connections}`],
      ...["--duration", `${seconds}s`, new URL(origin).host],
    ],
    ratePerSec: (output) => JSON.parse(output).rps,
  },
} satisfies Record<string, Generator<Task>>;
type Name = keyof typeof GENERATORS;

function plateau(driver: "epoll" | "tcp"): Generator<Task> {
  return {
    program: Deno.execPath(),
    command: ({ origin, connections, streams }, seconds) =>
      plateauCommand(origin, [
        ...["--grpc", `${SERVICE}/${METHOD}`, "--proto", PROTO, "--message", MESSAGE],
        ...["-w", "1", "-c", `${connections}`, "--pipeline", `${streams}`],
        ...["-d", `${seconds}s`, "--driver", driver],
      ]),
    ratePerSec: (output) => parseMeasurement(output).rate,
  };
}

export const grpc: Bench = {
  about: "what a unary call of gRPC costs its client",
  rounds: 3,
  async run(effort): Promise<Section[]> {
    const all = new Generators<Name, Task>(GENERATORS);
    using folder = temporaryFolder();
    const [program, body] = ["answering", "body"].map((name) => join(folder.path, name));
    Deno.writeFileSync(body, BODY);
    await compile(new URL("grpc/answering.c", import.meta.url), program);
    await using server = await startServer(
      "answering",
      (port) => placed("server", [program, `${port}`]),
    );
    const sections: Section[] = [];
    for (const [connections, streams] of [[50, 1], [10, 10]]) {
      const costs = await all.costs({ origin: server.origin, body, connections, streams }, effort);
      sections.push({
        caption:
          `CPU time of a unary call, ${connections} connections with ${streams} in flight on each`,
        unit: "µs",
        baseline: "h2load",
        rows: rowsOf(costs, "cpuUs", { baseline: "h2load" }),
        notes: [`${PINNING}.`, ...all.notes],
      });
    }
    return sections;
  },
};
