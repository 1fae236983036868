/** Whether the program sees who was in the way of a target, with processes that really are. */
import assert from "node:assert/strict";
import { getPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { FindingCode } from "../../runner/result/findings.ts";
import { type Measurement, measurement } from "../../runner/result/result.ts";
import { allowedCores, startOn } from "../../base/system/affinity.ts";
import { needing } from "../needs.ts";
import { exits, Plateau, serve } from "./plateau.ts";

const withLinux = needing("linux");

function bench(...args: string[]): Plateau {
  return new Plateau(["bench", ...args, "--quiet", "--json", "-"]);
}

async function measured(program: Plateau): Promise<Measurement> {
  const { stdout } = await exits(0, program.ended);
  return measurement.parse(JSON.parse(stdout));
}

function assertCause({ generator }: Measurement, cause: FindingCode): void {
  assert.notEqual(generator.trust, "valid");
  assert.ok(
    generator.findings.some(({ code }) => code === cause),
    JSON.stringify({ ...generator, each: undefined }),
  );
}

/** Computes on one core until it is killed, or has used 20 s of it. */
function neighbourOn(core: number): Disposable {
  const args = ["-c", "ulimit -t 20; while :; do :; done"];
  const child = startOn([core], () => new Deno.Command("sh", { args }).spawn());
  return { [Symbol.dispose]: () => child.kill("SIGKILL") };
}

withLinux.test("a neighbour on the target's core is named", async () => {
  const [core] = allowedCores();
  const starting = startOn([core], () => serve("api"));
  await using api = await starting;
  using _neighbour = neighbourOn(core);
  await using program = bench(`${api.origin}/fib`, "-c", "10", "-d", "1s");
  const seen = await measured(program);
  assertCause(seen, getPriority() > 0 ? "low-priority" : "neighbour"); // what the tests have, targets have, too
  assert.ok((seen.generator.target?.waiting ?? 0) > 0.1, JSON.stringify(seen.generator.target));
});

withLinux.test("a generator that is stopped 100 ms in every 500 is found in a closed loop", async () => {
  await using api = await serve("api");
  await using program = bench(`${api.origin}/fib`, "-c", "4", "-d", "2s");
  let isOver = false;
  const ended = measured(program).finally(() => isOver = true);
  while (!isOver) {
    await Promise.race([sleep(400), ended]);
    program.kill("SIGSTOP");
    await sleep(100);
    program.kill("SIGCONT");
  }
  assertCause(await ended, "worker-paused");
});

Deno.test("connections that are all busy are named as the limit of an open loop", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => sleep(100).then(() => new Response("slow")),
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  await using program = bench(origin, "-r", "200/s", "-c", "10", "-d", "2s");
  assertCause(await measured(program), "connections");
});
