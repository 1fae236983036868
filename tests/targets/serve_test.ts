import { appNames } from "../../base/target/app_settings.ts";
import assert from "node:assert/strict";
import { type Problem, TargetError, UserError } from "../../base/errors.ts";
import { selfCommand } from "../../targets/launch/child.ts";
import { serveApp, type ServedApp, type ServeOptions } from "../../targets/apps/serve.ts";
import { until } from "../e2e/patience.ts";

async function problemsOf(options: ServeOptions): Promise<readonly Problem[]> {
  const error = await serveApp(options).then(() => assert.fail("it serves"), (error) => error);
  assert.ok(error instanceof UserError, String(error));
  return error.problems;
}

Deno.test("serveApp() says where it serves, on loopback unless told otherwise", async () => {
  const served = await serveApp({ app: "work", port: 0 });
  assert.match(served.origin, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(await (await fetch(served.origin)).text(), "Hello World!");
  await Promise.all([served.close(), served.close()]);
  await served.finished;
  await assert.rejects(fetch(served.origin));
});

Deno.test({
  name: "serveApp() writes an IPv6 address in brackets",
  ignore: !hasAddress("::1"),
  async fn(): Promise<void> {
    const served = await serveApp({ app: "work", port: 0, host: "::1" });
    assert.match(served.origin, /^http:\/\/\[::1\]:\d+$/);
    await served.close();
  },
});

function hasAddress(address: string): boolean {
  return Deno.networkInterfaces().some((netInterface) => netInterface.address === address);
}

/** A served app, and the answer to a request that it has got and takes `delay` for. */
async function answering(delay: string): Promise<{ served: ServedApp; answer: Promise<Response> }> {
  const served = await serveApp({ app: "user", port: 0, set: { delay } });
  const answer = fetch(`${served.origin}/user`);
  await until("it is asked", async () => {
    const { originCalls } = await (await fetch(`${served.origin}/stats`)).json();
    return originCalls > 0;
  });
  return { served, answer };
}

Deno.test("serveApp() lets a request in flight finish when it is closed", async () => {
  const { served, answer } = await answering("150ms");
  await served.close();
  assert.equal((await (await answer).json()).id, 1);
});

Deno.test("serveApp() does not wait longer than 1 s for requests in flight", async () => {
  const { served, answer } = await answering("3s");
  const startMs = performance.now();
  const first = await Promise.race([served.close().then(() => "closed"), answer]);
  assert.equal(first, "closed");
  assert.ok(performance.now() - startMs >= 990);
  await (await answer).body?.cancel();
});

Deno.test("serveApp() refuses a port that is in use", async () => {
  const { origin, close } = await serveApp({ app: "work", port: 0 });
  const port = Number(new URL(origin).port);
  await assert.rejects(serveApp({ app: "api", port }), {
    name: "TargetError",
    message:
      `Cannot listen on 127.0.0.1:${port}: the port is in use; choose another, or 0 for a free one`,
  });
  await close();
});

Deno.test("serveApp() refuses an address that the machine does not have", async () => {
  await assert.rejects(serveApp({ app: "api", port: 0, host: "192.0.2.1" }), TargetError);
});

Deno.test("serveApp() refuses an app that there is not, and says which there are", async () => {
  const [{ message, fix }] = await problemsOf({ app: "apy", port: 0 });
  assert.equal(message, `Cannot serve "apy": the built-in apps are ${appNames.join(", ")}`);
  assert.equal(fix, 'did you mean "api"?');
});

Deno.test("serveApp() refuses wrong settings, all at once", async () => {
  const set = { gzip: "maybe", speed: "on", log: "off" };
  assert.deepEqual(await problemsOf({ app: "site", port: 0, set }), [
    { place: "--set gzip", message: "Cannot read this setting: write on or off" },
    {
      place: "--set speed",
      message:
        'Cannot set "speed": the app\'s settings are gzip, brotli, etag, helmet, files, cache, ttl, log',
    },
  ]);
});

Deno.test("a served app logs every request to standard output, in order, until it is stopped", async () => {
  const [program, args] = selfCommand(["serve", "api", "--port", "0", "--set", "log=on"]);
  const process = new Deno.Command(program, { args, stdout: "piped" }).spawn();
  const [first, rest] = process.stdout.tee();
  const { value } = await first.pipeThrough(new TextDecoderStream()).getReader().read();
  const origin = /^listening (\S+)\n$/.exec(value ?? "")?.[1];
  for (let id = 0; id < 300; id++) {
    await (await fetch(`${origin}/error/${id}`)).body?.cancel();
  }
  process.kill("SIGTERM");
  await process.status;
  const lines = (await new Response(rest).text()).trim().split("\n").slice(1);
  assert.deepEqual(
    lines.map((line) => /^127\.0\.0\.1 - - \[.*\] "GET (\S+) HTTP\/1\.1"/.exec(line)?.[1]),
    Array.from({ length: 300 }, (_, id) => `/error/${id}`),
  );
});
