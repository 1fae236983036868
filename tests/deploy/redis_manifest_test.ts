import assert from "node:assert/strict";
import { TargetError } from "../../scenarios/errors.ts";
import { freePort } from "../../targets/launch/surroundings.ts";
import { connectRedis } from "../../targets/redis_client.ts";
import { until } from "../e2e/patience.ts";
import { findProgram, testWith } from "../needs.ts";
import { called } from "./manifests.ts";

testWith(
  ["redis"],
  "Redis starts with the command line of its manifest, and asks for the password",
  async () => {
    const { args } = called("plateau-redis").container;
    const port = freePort();
    const filledIn = args.map((arg) => arg.replace("$(REDIS_PASSWORD)", "wort"));
    await using _server = started(findProgram("redis") ?? "", [...filledIn, "--port", `${port}`]);
    const url = (login: string): string => `redis://${login}127.0.0.1:${port}`;
    const client = await until(
      "Redis answers",
      () => connectRedis(url(":wort@")).catch(() => null),
    );
    const settings = await client.configGet(["save", "appendonly", "maxmemory-policy"]);
    assert.deepEqual({ ...settings }, {
      save: "",
      appendonly: "no",
      "maxmemory-policy": "noeviction",
    });
    client.destroy();
    await assert.rejects(connectRedis(url("")), TargetError);
  },
);

function started(program: string, args: readonly string[]): AsyncDisposable {
  const quiet = { stdout: "null", stderr: "null" } as const;
  const child = new Deno.Command(program, { args: [...args], ...quiet }).spawn();
  return {
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}
