/** Calls of gRPC on servers of the tests, as an experiment file has them, and loads of them. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { readProtoFile } from "../../base/grpc/proto_file.ts";
import { AS_INPUT } from "../../base/explain.ts";
import { withEngine } from "../../base/pattern.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { readyCalls, type Reflect } from "../../runner/grpc/ready_calls.ts";
import { shareOut } from "../../runner/measure/share.ts";
import { filesFrom } from "../../scenarios/file/disk_files.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";
import { GRPC_STATUSES } from "../../scenarios/request/request.ts";
import { type Script, scriptOf } from "../../scenarios/request/script.ts";
import type { Endpoint, TcpEndpoint } from "../../base/net/endpoint.ts";
import { pythonWith } from "../../bench/stage/python.ts";
import type { Need } from "../needs.ts";
import { started } from "./programs.ts";
import { assertNothingLost, load, type Loaded, type Wish } from "./loading.ts";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const FILES = filesFrom(FOLDER, readProtoFile);
const TIMEOUT_MS = 20_000; // none passes by itself, however slow the machine is

const reflect: Reflect = () => assert.fail("the types are those of a file");

export interface CallWish extends Wish {
  readonly timeoutMs?: number;
}

/** @param written The scenario: its calls are of `echo.proto` where it names none. */
export async function called(
  driver: DriverName,
  server: { readonly endpoint: Endpoint },
  written: Readonly<Record<string, unknown>>,
  { timeoutMs = TIMEOUT_MS, requests, ...wish }: CallWish = {},
): Promise<Loaded & { readonly statuses: Readonly<Record<string, number>> }> {
  const named = await withEngine(() => scriptNamed(written));
  const script = await readyCalls(named, { timeoutMs, reflect });
  const fields = { timeout: timeoutMs, keepAlive: true, http2: true, connections: 2, workers: 1 };
  const [job] = shareOut({
    script,
    load: loadOf({ ...fields, ...requests === undefined ? { duration: 60_000 } : { requests } }),
    origin: "http://localhost",
    seed: 1,
    driver,
    intervalMs: 50,
    logPath: null,
    implicitCheck: true,
  }, driver);
  const loaded = await load({ driver, http2: true }, server, {
    ...{ script: job.script, steps: job.steps, connections: 2, requests },
    timeoutUs: timeoutMs * 1_000,
    ...wish,
  });
  assertNothingLost(loaded);
  const { calls = new Float64Array(0) } = loaded.totals;
  const statuses = Object.fromEntries(
    [...GRPC_STATUSES, "none"].map((name, at) => [name, calls[at]] as const)
      .filter(([, count]) => count > 0),
  );
  return { ...loaded, statuses };
}

const PROTO = { proto: "echo.proto" };

/** Its calls are not ready. @param written As for `called`. */
export function scriptNamed(written: Readonly<Record<string, unknown>>): Script {
  const scenario = "grpc" in written ? { ...written, ...PROTO } : written;
  return scriptOf(scenarioSpecWith(FILES).parse(scenario, AS_INPUT), 1);
}

interface Seen {
  readonly calls: number;
  readonly received: number;
  readonly sent: number;
  readonly cancelled: number;
  readonly deadlines: number;
  readonly metadata: string;
}

/** Node has no packages here: the server is bundled with its own. */
async function bundled(): Promise<string[]> {
  const outdir = await ownFolder();
  const source = fileURLToPath(new URL("grpc_js/server.mjs", import.meta.url));
  const config = join(dirname(source), "deno.json"); // packages of its own, which the program has not
  const args = ["bundle", "--quiet", "--config", config, "--outdir", outdir, source];
  await made(Deno.execPath(), { args });
  const file = join(outdir, "server.mjs");
  await Deno.rename(join(outdir, "server.js"), file);
  return ["node", file];
}

/** Of a module of its own, whose packages are pinned there. */
async function compiled(): Promise<string[]> {
  const file = join(await ownFolder(), "server");
  await made("go", { args: ["build", "-o", file, "."], cwd: join(FOLDER, "grpc_go") });
  return [file];
}

async function ownFolder(): Promise<string> {
  const path = await Deno.makeTempDir();
  globalThis.addEventListener("unload", () => Deno.removeSync(path, { recursive: true }));
  return path;
}

async function made(program: string, options: Deno.CommandOptions): Promise<void> {
  const command = new Deno.Command(program, { ...options, stdout: "null", stderr: "piped" });
  const { success, stderr } = await command.output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

interface Maker {
  readonly needs: readonly Need[];
  /** The command that starts the server. */
  readonly make: () => Promise<readonly string[]>;
}

/** Who implements the service of `echo.proto`: of each language its official package. */
const MAKERS = {
  "grpc-js": { needs: ["node"], make: bundled },
  "grpc-go": { needs: ["go"], make: compiled },
  grpcio: {
    needs: ["grpcio"],
    make: () => Promise.resolve([pythonWith("grpc_reflection") ?? "", PYTHON_SERVER]),
  },
} satisfies Record<string, Maker>;

const PYTHON_SERVER = join(FOLDER, "grpc_python/server.py");

export type MakerName = keyof typeof MAKERS;

export function needsOf(maker: MakerName): readonly Need[] {
  return MAKERS[maker].needs;
}

const commands = new Map<MakerName, Promise<readonly string[]>>();

/** Made once. */
function commandOf(maker: MakerName): Promise<readonly string[]> {
  const command = commands.get(maker) ?? MAKERS[maker].make();
  commands.set(maker, command);
  return command;
}

interface CallServer extends AsyncDisposable {
  readonly endpoint: TcpEndpoint;
  readonly end: () => Promise<Seen>;
}

/** The service of `echo.proto`. @param args Of grpc-js: the files of a certificate and its key. */
export async function serving(
  maker: MakerName = "grpc-js",
  ...args: string[]
): Promise<CallServer> {
  const [program, ...rest] = await commandOf(maker);
  const server = await started(program, [...rest, ...args]);
  const endpoint = { hostname: "127.0.0.1", port: server.port, http2: true as const };
  return { ...server, endpoint, end: async (): Promise<Seen> => JSON.parse(await server.end()) };
}
