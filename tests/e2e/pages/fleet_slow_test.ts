/** docs/fleet.md as a reader would try it, with this machine as all four. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as words } from "shell-quote";
import { freePort } from "../../../targets/launch/environment.ts";
import { OWN_HOST } from "../../listening.ts";
import { findProgram, needing } from "../../needs.ts";
import { until } from "../patience.ts";
import { emptyFolder, Plateau, plateau, type Surroundings } from "../plateau.ts";

const withLinuxAndRedisAndOpenssl = needing("linux", "redis", "openssl");

const PAGE = readFileSync(new URL("../../../docs/fleet.md", import.meta.url), "utf8");
const EXPERIMENT = `name: mine
targets: { api: { app: api } }
scenarios: { static: { get: /static } }
load: { connections: 8, requests: 400 }
repeat: 1
`;

/** The page's blocks of commands, each a line; ports are free ones, and loads end by what is answered. */
function commands(): string[][] {
  const ofRedis = freePort();
  const ports = new Map([["6390", ofRedis], ["8080", freePort({ others: [ofRedis] })]]);
  return [...PAGE.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) =>
    block.trim().replaceAll(/\b(?:6390|8080)\b/g, (port) => `${ports.get(port)}`)
      .replaceAll("HOST", OWN_HOST).replaceAll("-d 5s", "-n 8000").split("\n")
  );
}

function argsOf(line: string): string[] {
  const [program, ...args] = words(line).map(String);
  assert.equal(program, "plateau", line);
  return args;
}

async function startRedis(line: string, cwd: string): Promise<AsyncDisposable> {
  const [program, ...args] = words(line).map(String);
  assert.equal(program, "redis-server");
  const options = { args, cwd, stdout: "null", stderr: "null" } as const;
  const child = new Deno.Command(findProgram("redis") ?? program, options).spawn();
  const port = Number(args[args.indexOf("--port") + 1]);
  const listens = (): Promise<boolean> =>
    Deno.connect({ port }).then((connection) => (connection.close(), true), () => false);
  await until("Redis listens", listens);
  return {
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** What `export NAME=VALUE …` sets, by a shell. */
function exported(line: string, cwd: string): Record<string, string> {
  const args = ["-c", `${line}; echo "$REDIS_URL"; echo "$PLATEAU_REDIS_PASSWORD"`];
  const { stdout } = new Deno.Command("sh", { args, cwd }).outputSync();
  const [url, password] = new TextDecoder().decode(stdout).split("\n");
  return { REDIS_URL: url, PLATEAU_REDIS_PASSWORD: password };
}

async function start(line: string, isThere: RegExp, cwd: string): Promise<Plateau> {
  const program = new Plateau(argsOf(line), { cwd });
  await program.prints(isThere);
  return program;
}

async function outputOf(line: string, surroundings: Surroundings): Promise<string> {
  const { code, stdout, stderr } = await plateau(argsOf(line), surroundings);
  assert.equal(code, 0, `${line}\n${stderr}`);
  return stdout;
}

withLinuxAndRedisAndOpenssl.test("docs/fleet.md leads from one machine to four", async () => {
  using folder = emptyFolder();
  Deno.writeTextFileSync(join(folder.path, "mine.yaml"), EXPERIMENT);
  const { path: cwd } = folder;
  const [prepare, here, look, onFour, load, ...more] = commands();
  assert.deepEqual(more, []);
  assert.ok(
    new Deno.Command("sh", { args: ["-ec", prepare.join("\n")], cwd }).outputSync().success,
  );
  await using _redis = await startRedis(here[0], cwd);
  {
    await using _served = await start(here[1], /^listening/m, cwd);
    await using agent = await start(here[2], /is ready/, cwd);
    const env = exported(look[0], cwd);
    assert.match(await outputOf(look[1], { env }), /idle/);
    assert.match(await outputOf(look[2], { env }), /Requests\/s/);
    agent.kill("SIGINT");
    assert.equal((await agent.ended).code, 0);
  }
  await using _served = await start(onFour[0], /^listening/m, cwd);
  await using agents = new AsyncDisposableStack();
  const starting = Array.from(
    { length: 4 },
    () => agents.use(new Plateau(argsOf(onFour[1]), { cwd })),
  );
  await Promise.all(starting.map((agent) => agent.prints(/is ready/)));
  const env = exported(load[0], cwd);
  const bench = await outputOf(`${load[1]} --json -`, { env });
  const { load: asked, requests, agents: parts } = JSON.parse(bench);
  assert.equal(asked.connections, 4_000);
  assert.ok(requests.completed > 0);
  assert.deepEqual(parts.map(({ connections }: { connections: number }) => connections), [
    ...Array(4).fill(1_000),
  ]);
  assert.match(await outputOf(load[2], { cwd, env }), /Report +\S+report\.html/);
  assert.ok(existsSync(join(folder.path, "results/mine")));
});
