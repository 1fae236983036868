import assert from "node:assert/strict";
import { startSelf } from "../../targets/launch/child.ts";
import { serveOrigin } from "./fixtures/origin.ts";

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
