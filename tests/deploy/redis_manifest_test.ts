import assert from "node:assert/strict";
import { TargetError } from "../../base/errors.ts";
import { freePort } from "../../targets/launch/environment.ts";
import { connectRedis } from "../../targets/redis/client.ts";
import { until } from "../e2e/patience.ts";
import { findProgram, needing } from "../needs.ts";
import { called } from "./manifests.ts";

const withLinuxAndRedis = needing("linux", "redis");

withLinuxAndRedis.test("Redis starts with the command line of its manifest, and asks for the password", async () => {
  const { command = [], args } = called("plateau-redis").container;
  const port = freePort();
  const program = `${findProgram("redis")} - --port ${port}`;
  const [shell, ...words] = [
    ...command,
    ...args.map((arg) => arg.replace("redis-server -", program)),
  ];
  await using server = started(shell, words, { REDIS_PASSWORD: "wort" });
  const url = (login: string): string => `redis://${login}127.0.0.1:${port}`;
  const client = await until("Redis answers", () => connectRedis(url(":wort@")).catch(() => null));
  const settings = await client.configGet(["save", "appendonly", "maxmemory-policy"]);
  assert.deepEqual({ ...settings }, {
    save: "",
    appendonly: "no",
    "maxmemory-policy": "noeviction",
  });
  client.destroy();
  const seen = Deno.readTextFileSync(`/proc/${server.pid}/cmdline`);
  assert.match(seen, /redis|valkey/); // the shell has become it, and hears what ends a pod
  assert.doesNotMatch(seen, /wort/);
  await assert.rejects(connectRedis(url("")), TargetError);
});

function started(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): AsyncDisposable & { readonly pid: number } {
  const quiet = { stdout: "null", stderr: "null" } as const;
  const child = new Deno.Command(program, { args: [...args], env, ...quiet }).spawn();
  return {
    pid: child.pid,
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}
