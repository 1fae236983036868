/** Starts, watches and stops a server of the field trials, in a temporary folder. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TargetError } from "../../base/errors.ts";
import { descendantsOf } from "../../base/system/processes.ts";
import { freePort, isPortTaken } from "../../targets/launch/environment.ts";
import { type Command, isInstalled, start } from "../stage/programs.ts";
import { temporaryFolder } from "../stage/folder.ts";
import type { FieldServer, Place, Port } from "./server.ts";
import { BIG, SMALL } from "./servers/app.mjs";

/**
 * How long a server may take from its start until it listens on all of its ports. Servers that need compiling are
 * compiled before, in `prepare`.
 */
const READY_MS = 180_000;
const LOOK_MS = 50;
const END_MS = 3_000;

export interface Running extends AsyncDisposable {
  readonly place: Place;
  readonly reload: () => Promise<void>;
  /** How often the text occurs in the server's log. */
  readonly logged: (text: string) => number;
}

/** The programs that the server needs and that are not installed. */
export function missingOf({ needs }: FieldServer): string[] {
  return needs.filter((program) => !isInstalled(program));
}

/** The version number in the output of the server's version command; "unknown" if there is none. */
export async function versionOf({ version: [program, ...args] }: FieldServer): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(program, { args, stdin: "null" }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  return /\d+\.\d+[\w.+~-]*/.exec(text)?.[0] ?? "unknown";
}

export async function startField(server: FieldServer, origin: number): Promise<Running> {
  const folder = temporaryFolder();
  const place = await makePlace(folder.path, origin);
  await server.prepare?.(place);
  const said = join(folder.path, "said.txt");
  const children = server.commands(place).map((command) => spawn(command, server, place, said));
  const end = async (): Promise<void> => {
    await Promise.all(children.map(stop));
    folder[Symbol.dispose]();
  };
  try {
    await listening(server, place, children);
  } catch (error) {
    const lines = existsSync(said) ? readFileSync(said, "utf8").trim().split("\n").slice(-8) : [];
    await end();
    throw error instanceof TargetError ? new TargetError(error.message, lines) : error;
  }
  return {
    place,
    reload: () => reload(server, place, children[0]),
    logged: (text) =>
      existsSync(place.log) ? readFileSync(place.log, "utf8").split(text).length - 1 : 0,
    [Symbol.asyncDispose]: end,
  };
}

async function makePlace(folder: string, origin: number): Promise<Place> {
  const [cert, key] = [join(folder, "server.crt"), join(folder, "server.key")];
  const subject = [
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1",
  ];
  const newKey = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "2",
  ];
  await start(["openssl", "req", "-x509", ...newKey, ...subject, "-out", cert, "-keyout", key])
    .output;
  Deno.chmodSync(folder, 0o755);
  Deno.chmodSync(key, 0o644); // servers that drop root privileges read the key afterwards
  Deno.mkdirSync(join(folder, "www"));
  Deno.writeTextFileSync(join(folder, "www/small"), SMALL);
  Deno.writeFileSync(join(folder, "www/big"), BIG);
  const ports = {
    http1: freePort(),
    h2c: freePort(),
    tls: freePort(),
    tls12: freePort(),
    inner: freePort(),
  };
  return { folder, ports, origin, cert, key, log: join(folder, "requests.log") };
}

function spawn(
  [program, ...args]: Command,
  { env }: FieldServer,
  place: Place,
  said: string,
): Deno.ChildProcess {
  // Output goes to a file, because nobody would read a pipe, and a full one would block the server.
  const script = ["-c", 'said=$1; shift; exec "$@" >>"$said" 2>&1', "sh", said, program, ...args];
  return new Deno.Command("sh", {
    args: script,
    cwd: place.folder,
    env: env?.(place) ?? {},
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

async function listening(
  { name, ways }: FieldServer,
  { ports }: Place,
  children: readonly Deno.ChildProcess[],
): Promise<void> {
  let ended = false;
  for (const { status } of children) status.then(() => ended = true);
  const waited = new Set<Port>(Object.values(ways));
  const endMs = Date.now() + READY_MS;
  while (waited.size > 0) {
    for (const port of waited) if (isPortTaken(ports[port], "127.0.0.1")) waited.delete(port);
    if (ended) throw new TargetError(`Cannot start ${name}: it ended at once`);
    if (Date.now() > endMs) throw new TargetError(`Cannot start ${name}: it does not listen`);
    await pause(LOOK_MS);
  }
}

async function reload(
  { reload }: FieldServer,
  place: Place,
  { pid }: Deno.ChildProcess,
): Promise<void> {
  if (typeof reload === "string") Deno.kill(pid, reload);
  else if (reload !== undefined) await start(reload(place)).output;
}

async function stop(child: Deno.ChildProcess): Promise<void> {
  const pids = [child.pid, ...descendantsOf(child.pid)];
  signal([child.pid], "SIGTERM");
  const timer = setTimeout(() => signal(pids, "SIGKILL"), END_MS);
  await child.status;
  clearTimeout(timer);
  signal(pids.slice(1), "SIGKILL");
}

function signal(pids: readonly number[], name: Deno.Signal): void {
  for (const pid of pids) {
    try {
      Deno.kill(pid, name);
    } catch {
      // The process has already ended.
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
