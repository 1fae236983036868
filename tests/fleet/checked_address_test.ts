/** A load goes where its agent's `--allow` looked, whatever the name means by then. */
import assert from "node:assert/strict";
import { AllowList } from "../../runner/fleet/agent/allow.ts";
import { readJob } from "../../runner/fleet/agent/job_reading.ts";
import type { AgentJob } from "../../runner/fleet/protocol/agent_message.ts";
import type { LoaderHooks } from "../../runner/measure/loader.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { dial } from "../../base/net/dial.ts";
import { endpointOf } from "../../base/net/endpoint.ts";
import { certificates } from "../certificates.ts";
import { needing } from "../needs.ts";
import { jobOf, SECOND } from "./hand_made.ts";

const withOpenssl = needing("openssl");

/** Nobody knows it but the resolver of this test, so that a second look-up by anybody else fails. */
const NAME = "rebound.invalid";
const HOOKS: LoaderHooks = {
  ...{ onNote: () => {}, onReady: () => {}, onStart: () => {} },
  ...{ onInterval: () => {}, onReportingWorkers: () => {} },
  signal: new AbortController().signal,
};

/** Says what is allowed when it is first asked, and the address of a cloud's secrets from then on. */
function rebinding(): { resolve: () => Promise<string[]>; asked: () => number } {
  let asked = 0;
  const resolve = (): Promise<string[]> =>
    Promise.resolve([asked++ === 0 ? "127.0.0.1" : "169.254.169.254"]);
  return { resolve, asked: () => asked };
}

async function accepted(job: unknown, resolve: () => Promise<string[]>): Promise<AgentJob> {
  const read = await readJob(job, new AllowList(["127.0.0.0/8"], resolve));
  assert.ok("job" in read, JSON.stringify(read));
  return read.job;
}

for (const driver of ["epoll", "tcp"] as const) {
  Deno.test({
    name: `the ${driver} driver dials the address that was checked, for each new connection, too`,
    sanitizeResources: false, // it keeps libc open for the next load
    async fn(): Promise<void> {
      const hosts = new Set<string | null>();
      const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
      await using server = Deno.serve(where, ({ headers }) => {
        hosts.add(headers.get("host"));
        return new Response("ok");
      });
      const origin = `http://${NAME}:${server.addr.port}`;
      const load = { ...SECOND, keepAlive: false, durationMs: null, requests: 20 };
      const { resolve, asked } = rebinding();
      const job = await accepted(jobOf({ id: "c" }, { origin, load, driver }), resolve);
      const loader = new LocalLoader();
      const request = { ...job, ...job.access, logPath: null };
      const { reports } = await loader.load(request, HOOKS, { assigned: job.assigned });
      await loader.close();
      assert.equal(reports[0].totals.completed, 20);
      assert.deepEqual([...hosts], [`${NAME}:${server.addr.port}`]);
      assert.equal(asked(), 1);
    },
  });
}

withOpenssl.test("TLS names and checks the host of the URL at the address that was checked", async () => {
  const { signed, authority } = certificates();
  using listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...signed });
  const { port } = listener.addr as Deno.NetAddr;
  const serve = (async () => {
    for await (const conn of listener) {
      await conn.handshake().catch(() => {}).then(() => conn.close());
    }
  })();
  const access = { caCerts: [authority], addresses: ["127.0.0.1"] };
  const { signal } = new AbortController();
  const right = endpointOf(`https://localhost:${port}`, access);
  assert.ok(
    "tls" in right && right.tls?.serverName === "localhost" &&
      right.addresses?.join() === "127.0.0.1",
  );
  (await dial(right, signal)).close();
  const wrong = dial(endpointOf(`https://${NAME}:${port}`, access), signal);
  await assert.rejects(wrong, /the certificate is not for rebound\.invalid but for localhost/);
  listener.close();
  await serve;
});

Deno.test("an address that a job names is checked itself, even where its host's name is allowed", async () => {
  const { resolve, asked } = rebinding();
  const read = (...addresses: string[]): ReturnType<typeof readJob> => {
    const job = jobOf({ id: "c" }, { origin: `http://${NAME}`, access: { addresses } });
    return readJob(job, new AllowList([NAME, "127.0.0.0/8"], resolve));
  };
  const refused = await read("127.0.0.2", "169.254.169.254");
  assert.ok("problems" in refused);
  assert.match(
    refused.problems.join(),
    /Cannot load 169\.254\.169\.254: this agent may load only /,
  );
  const loaded = await read("127.0.0.2");
  assert.ok("job" in loaded);
  assert.deepEqual(loaded.job.access.addresses, ["127.0.0.2"]);
  assert.equal(asked(), 0);
});
