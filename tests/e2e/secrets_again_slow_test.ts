/** Secrets where an experiment is gone on with, and where agents load it. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { results } from "../../runner/result/result.ts";
import { connectRedis } from "../../targets/redis/client.ts";
import { testWith } from "../needs.ts";
import { canaryOf, filesIn, findCanaries, startEcho } from "./canaries.ts";
import { RedisServer } from "./fleet/redis_server.ts";
import { emptyFolder, exits, Plateau, plateau } from "./plateau.ts";

const ENV = { C_HEADER: canaryOf("header").replace("é", "") };

const RESUMED = `name: resumed
parameters: { given: { secret: true } }
targets: { web: { url: ORIGIN } }
scenarios:
  s: { get: /, headers: { authorization: "Bearer \${env.C_HEADER}", x-mine: "\${given}" } }
load: { connections: 1, requests: 10 }
repeat: 1
`;

/** An experiment that is done, as if it had been interrupted before its end. */
async function interrupted(folder: string, text: string): Promise<string> {
  const file = join(folder, "resumed.yaml");
  writeFileSync(file, text);
  const out = join(folder, "out");
  const given = ["--set", `given=${canaryOf("given")}`];
  const args = ["run", file, "--out", out, "--quiet", ...text.includes("given") ? given : []];
  await exits(0, args, { env: ENV });
  const path = join(out, "results.json");
  const all = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...all, state: "interrupted", runs: [] }));
  return out;
}

Deno.test("going on takes secrets from the environment and the command line again", async () => {
  await using server = startEcho();
  using folder = emptyFolder();
  const text = RESUMED.replace("ORIGIN", `http://127.0.0.1:${server.addr.port}`);
  const out = await interrupted(folder.path, text);
  const resume = ["run", "--resume", out, "--quiet"];
  const without = await exits(2, resume, { env: ENV });
  assert.match(
    without.stderr,
    /^--set given: Cannot resume without this secret: .* \(add --set given=… again\)$/m,
  );
  const given = ["--set", `given=${canaryOf("marked")}`]; // another value is no other experiment
  await exits(0, [...resume, ...given], { env: ENV });
  assert.equal(JSON.parse(readFileSync(join(out, "results.json"), "utf8")).runs.length, 1);
});

Deno.test("a file that holds secrets itself has to be named to go on, and stays as it is", async () => {
  await using server = startEcho();
  using folder = emptyFolder();
  const text = RESUMED.replace("ORIGIN", `http://127.0.0.1:${server.addr.port}`)
    .replace("Bearer ${env.C_HEADER}", "Bearer literally-secret").replace(/^parameters.*\n/m, "")
    .replace(', x-mine: "${given}"', "");
  const out = await interrupted(folder.path, text);
  assert.doesNotMatch(readFileSync(join(out, "resumed.yaml"), "utf8"), /literally/);
  const copy = await exits(2, ["run", "--resume", out, "--quiet"]);
  assert.match(copy.stderr, /Cannot resume from this copy: the file's secrets/);
  const file = join(folder.path, "resumed.yaml");
  await exits(0, ["run", file, "--resume", out, "--quiet"]);
  await exits(0, ["run", file, "--out", folder.path, "--quiet"]);
  assert.equal(readFileSync(file, "utf8"), text);
});

testWith(["redis"], "agents and their coordinator show no secret, and tell none", async () => {
  await using server = startEcho();
  await using redis = await RedisServer.start({ password: "redis-canary" });
  using folder = emptyFolder();
  const env = {
    REDIS_URL: redis.urlAt("127.0.0.1", redis.port, ""),
    PLATEAU_REDIS_PASSWORD: "redis-canary",
  };
  const client = await connectRedis(redis.url);
  const told: string[] = [];
  await client.monitor((command) =>
    void (/:messages-/.test(`${command}`) && told.push(`${command}`))
  );
  await using agent = new Plateau(["agent", "--name", "a", "-w", "1"], { env });
  await agent.prints(/is ready/);
  const token = canaryOf("header").replace(/"<.*/s, "");
  const file = join(folder.path, "fleet.yaml");
  const text = RESUMED.replace("ORIGIN", `http://127.0.0.1:${server.addr.port}`)
    .replace("get: /", 'get: "/?key=${env.C_HEADER}"').replace(/^parameters.*\n/m, "")
    .replace(', x-mine: "${given}"', "");
  writeFileSync(file, text);
  const args = ["run", file, "--agents", "1", "--out", join(folder.path, "out")];
  const { code, stdout, stderr } = await plateau(args, { env: { ...env, C_HEADER: token } });
  client.destroy();
  assert.equal(code, 0, stderr);
  const { stderr: agents } = agent.printed;
  assert.match(agents, /run finished/);
  assert.ok(told.length > 0);
  const files = filesIn(join(folder.path, "out"));
  const seen = {
    ...files,
    told: told.join("\n"),
    agents,
    stdout,
    stderr,
  };
  assert.deepEqual(findCanaries(seen), []);
  assert.doesNotMatch(JSON.stringify(seen), /redis-canary/);
  const { runs } = results.parse(JSON.parse(files["results.json"]));
  assert.equal(runs[0].slowest?.[0].request, "GET /?key=${env.C_HEADER}");
});
