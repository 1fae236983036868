import assert from "node:assert/strict";
import { join } from "node:path";
import { VERSION } from "../../base/version.ts";
import { renderRoster } from "../../cli/commands/agents.ts";
import { type Presence, presence } from "../../runner/fleet/protocol/agent_message.ts";
import { certificates } from "../certificates.ts";
import { RedisServer } from "../e2e/fleet/redis_server.ts";
import { emptyFolder, exits, plateau } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";
import { startAgent } from "./started_agent.ts";

const OPTIONS = { width: 80, color: false, unicode: true };

const ONE: Presence = {
  name: "one",
  version: VERSION,
  host: "north",
  cores: 8,
  openFiles: 1_048_576,
  workers: 7,
  driver: "epoll",
  peakThroughput: 250_123.4,
  allow: ["localhost", "10.0.0.0/8"],
  clock: { offsetMs: -0.001, uncertaintyMs: 0.082 },
  coordinator: null,
  since: 0,
};

Deno.test("the list of agents says who is there, and what each brings", () => {
  const two = {
    ...ONE,
    ...{ name: "two", coordinator: "laptop-7", openFiles: null, peakThroughput: null },
    clock: { offsetMs: 1_234.5678, uncertaintyMs: 20.5 },
  };
  assert.equal(
    renderRoster([ONE, two], OPTIONS),
    `agent  state                 version  host   cores  open files  workers  driver  peak /s per worker  clock ms      may load
one    idle                  ${VERSION}    north      8  1,048,576         7  epoll             250,123   0 ± 0.08      localhost, 10.0.0.0/8
two    working for laptop-7  ${VERSION}    north      8           -        7  epoll                    -  1,235 ± 20.5  localhost, 10.0.0.0/8
`,
  );
});

Deno.test("an agent of another version is marked", () => {
  const text = renderRoster([{ ...ONE, version: "9.9.9" }], OPTIONS);
  assert.match(text, /9\.9\.9 !/);
  assert.match(
    text,
    new RegExp(`! Only agents of version ${VERSION}, which this Plateau has, can take its loads`),
  );
});

testWith(["redis"], "an empty list says how to start an agent", async () => {
  await using redis = await RedisServer.start();
  const { stdout } = await exits(0, ["agents"], { env: { REDIS_URL: redis.url } });
  assert.equal(
    stdout,
    "No agent is registered in this Redis; start one with: plateau agent --redis URL\n",
  );
});

Deno.test("agents can't be found without a Redis", async () => {
  for (const command of ["agent", "agents"]) {
    const { stderr } = await exits(2, [command], { env: { REDIS_URL: "" } });
    assert.match(
      stderr,
      /^--redis: Cannot reach agents without .* \(add --redis redis:\/\/host:port/,
    );
  }
});

Deno.test("a Redis that does not answer is the exit code of what can't be had", async () => {
  for (const command of ["agent", "agents"]) {
    const { stderr } = await exits(3, [command, "--redis", "redis://:n0tshown@127.0.0.1:1"]);
    assert.match(stderr, /^Cannot use Redis at redis:\/\/127\.0\.0\.1:1, because /m);
    assert.match(
      stderr,
      /^Note: .* can see the password in --redis; use --redis-password-file FILE/,
    );
    assert.doesNotMatch(stderr, /n0tshown/);
  }
});

Deno.test("all that is wrong with an agent's flags is told at once", async () => {
  const args = ["--name", "a b", "--workers", "0", "--allow", "http://x,localhost,y:80"];
  const { stderr } = await exits(2, ["agent", ...args], { env: { REDIS_URL: "" } });
  const wrong = [/"a b"/, /--workers/, /Cannot allow "http:\/\/x"/, /Cannot allow "y:80"/];
  for (const pattern of wrong) assert.match(stderr, pattern);
});

testWith(["redis", "openssl"], "an agent comes by TLS and password, and is listed", async () => {
  await using redis = await RedisServer.start({ tls: true, password: "secret" });
  using folder = emptyFolder();
  const authority = join(folder.path, "authority.pem");
  await Deno.writeTextFile(authority, certificates().authority);
  const trusting = ["--redis-cacert", authority];
  await using _ = await startAgent(redis.url, "one", ...trusting, "--allow", "shop.example");
  const { stdout } = await plateau(["agents", "--redis", redis.url, ...trusting, "--json", "-"]);
  const { version, agents } = JSON.parse(stdout);
  assert.equal(version, VERSION);
  const [{ name, workers, allow, coordinator }] = agents.map((agent: unknown) =>
    presence.parse(agent)
  );
  assert.deepEqual([name, workers, allow, coordinator], ["one", 1, ["shop.example"], null]);
  assert.equal((await plateau(["agents", "--redis", redis.url])).code, 3); // who signed that?
  const unknown = redis.url.replace("secret", "wrong");
  const { stderr } = await exits(3, ["agents", "--redis", unknown, ...trusting]);
  assert.doesNotMatch(stderr, /secret|wrong@/);
});
