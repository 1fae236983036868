/** The program where there is nothing but the base of the image (deploy/Dockerfile). */
import assert from "node:assert/strict";
import { needing, testWith } from "../needs.ts";
import { startAgent } from "./fleet/agents.ts";
import { RedisServer } from "./fleet/redis_server.ts";
import { libraryNames, minimalRoot, NAME_OF_HERE } from "./minimal_root.ts";
import { exits, plateau } from "./plateau.ts";

const withMountns = needing("mountns");

/** Of the packages libc6, libgcc-s1 and libstdc++6, which make gcr.io/distroless/cc-debian12. */
const OF_BASE =
  /^(?:ld-linux-\S+|lib(?:c|m|dl|rt|pthread|util|resolv|nss_\w+)\.so\.\d|libgcc_s\.so\.1|libstdc\+\+\.so\.6)$/;

function serveNothing(): Deno.HttpServer<Deno.NetAddr> {
  const options = { hostname: "127.0.0.1", port: 0, onListen: (): void => {} };
  return Deno.serve(options, () => new Response("here"));
}

testWith(["linux"], "the program needs no library that the base does not have", () => {
  const names = libraryNames();
  assert.ok(names.includes("libc.so.6"));
  assert.deepEqual(names.filter((name) => !OF_BASE.test(name)), []);
});

withMountns.test("bench measures from the base of the image, as its user", async () => {
  using root = minimalRoot();
  await using server = serveNothing();
  const url = `http://${NAME_OF_HERE}:${server.addr.port}/`;
  const args = ["bench", url, "-n", "500", "-c", "5", "--expect-body", "here", "--json"];
  const { code, stdout, stderr } = await plateau([...args, "-"], root);
  assert.equal(code, 0, stderr);
  const { requests, checks, driver } = JSON.parse(stdout);
  assert.deepEqual([requests.completed, checks.passed, driver], [500, 500, "epoll"]);
  const refused = await plateau([...args, "/bench.json"], root);
  assert.notEqual(refused.code, 0, "the root is read only");
  assert.match(refused.stderr, /\/bench\.json/);
});

withMountns.test("run starts servers and writes its report from the base of the image", async () => {
  using root = minimalRoot();
  const args = ["--duration", "700ms", "--repeat", "1", "--only", "scenario=static"];
  const { stdout } = await exits(0, ["run", "quick", ...args, "--out", "/tmp/q"], root);
  assert.match(stdout, /Report +\/tmp\/q\/report\.html/);
});

testWith(["mountns", "redis"], "an agent loads from the base of the image", async () => {
  using root = minimalRoot();
  await using server = serveNothing();
  await using redis = await RedisServer.start({ password: "wort" });
  await using _agent = await startAgent("contained", { redis: redis.url, through: root.through });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const args = ["-n", "500", "-c", "5", "--agents", "1", "--redis", redis.url, "--json", "-"];
  const { stdout } = await exits(0, ["bench", url, ...args]);
  const { requests, agents } = JSON.parse(stdout);
  assert.equal(requests.completed, 500);
  assert.deepEqual(agents.map(({ name }: { name: string }) => name), ["contained"]);
});
