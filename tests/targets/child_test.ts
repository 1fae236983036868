import assert from "node:assert/strict";
import { startSelf, startSupervised } from "../../targets/launch/child.ts";
import { cleanEnv } from "../../targets/launch/environment.ts";
import { takeStep } from "../../targets/launch/step.ts";
import { descendantsOf, readName, readStat } from "../../base/system/processes.ts";
import { until } from "../e2e/patience.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { needing } from "../needs.ts";
import { serveOrigin } from "./fixtures/origin.ts";

const withLinux = needing("linux");

Deno.test("a process hears every line, also of those who tell it something at the same time", async () => {
  await using stack = new AsyncDisposableStack();
  const urls = ["first", "second", "third"].map((name) =>
    stack.use(serveOrigin(() => new Response(name))).url
  );
  const [first, ...others] = urls;
  const balancer = startSelf(["gateway", "0", "127.0.0.1"], {});
  stack.defer(balancer.stop);
  const settings = { kind: "balancer", origins: [first], policy: "round-robin" };
  await balancer.writeLine(JSON.stringify(settings));
  const { text: origin } = await balancer.announced;
  await Promise.all(others.map((url) => balancer.writeLine(`join ${url}`)));
  const heard = new Set<string>();
  for (let asked = 0; heard.size < urls.length && asked < 1_000; asked++) {
    heard.add(await (await fetch(origin)).text());
  }
  assert.deepEqual(heard, new Set(["first", "second", "third"]));
});

withLinux.test("a step may print what its supervisor does", async () => {
  for (const printed of ["left 3 rows to migrate", "left 3 4"]) {
    const { why, evidence } = await takeStep(
      { command: ["echo", printed], env: {}, timeout: 60_000 },
      { env: cleanEnv(), cwd: "/", signal: new AbortController().signal, onOutput: () => {} },
    );
    assert.equal(why, null);
    assert.deepEqual(evidence, [printed]);
  }
});

withLinux.test("a program that prints of a start has not announced itself", async () => {
  const child = startSupervised(["/bin/echo", "started 5"], { env: {}, isStep: true });
  let announced: string | null = null;
  void child.announced.then(({ text }) => announced = text);
  await child.exited;
  await child.stop();
  assert.equal(announced, null);
  assert.deepEqual(child.output.lastLines(), ["started 5"]);
});

withLinux.test("the start of a program is announced whatever it has printed before", async () => {
  const child = startSupervised(["/bin/sh", "-c", "printf 'started 5\\nmore'"], { env: {} });
  const { text } = await child.announced;
  assert.match(text, /^\d+$/);
  assert.notEqual(text, "5");
  await child.exited;
  await child.stop();
  assert.deepEqual(child.output.lastLines(), ["started 5", "more"]);
});

/** All of it ignores TERM: a child, one in a session of its own, and a daemon in another. */
const STUBBORN = "trap '' TERM; sleep 600 & setsid sleep 600 & (setsid sleep 600 &); sleep 600";

for (const isStep of [false, true]) {
  const what = isStep ? "step" : "program";
  withLinux.test(`nothing of a ${what} is left when its supervisor is killed`, async () => {
    using folder = emptyFolder();
    const stage = Deno.makeTempDirSync({ dir: folder.path });
    const command = ["/bin/sh", "-c", STUBBORN];
    const child = startSupervised(command, { env: cleanEnv(), folder: stage, isStep });
    const pids = await until("all sleep", () => {
      const seen = descendantsOf(child.pid);
      return seen.filter((pid) => readName(pid) === "sleep").length === 4 && seen;
    });
    Deno.kill(child.pid, "SIGKILL");
    assert.deepEqual(await child.exited, { code: 137, signal: "SIGKILL", isOfSupervisor: true });
    assert.deepEqual(pids.filter((pid) => readStat(pid) !== null), []);
    assert.deepEqual([...Deno.readDirSync(folder.path)], []);
    await child.stop();
  });
}
