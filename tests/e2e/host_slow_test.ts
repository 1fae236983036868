/** `run --host`: targets listen where others reach them, and everything that asks them does so there. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { measurement } from "../../runner/result/result.ts";
import { listeningPorts, OWN_HOST } from "../listening.ts";
import { needing } from "../needs.ts";
import { emptyFolder, exits } from "./plateau.ts";
import { Site } from "./site.ts";

const withLinux = needing("linux");
const withLinuxAndMountns = needing("linux", "mountns");

const EXPERIMENT = `name: elsewhere
targets: { work: { app: work }, proxied: { proxy: { origin: work } } }
scenarios: { root: { get: / } }
load: { connections: 2, duration: 600ms }
interval: 50ms
repeat: 2
`;

withLinux.test("run --host makes targets listen there and nowhere else, and says so", async () => {
  using site = new Site(EXPERIMENT);
  // So long that a look at the ports falls into each run, even if we are held up.
  const flags = ["--repeat", "1", "--duration", "700ms"];
  await using program = site.start(...flags, "--host", OWN_HOST);
  const ports = new Set<number>();
  await program.until("both targets have been loaded", () => {
    for (const port of listeningPorts(OWN_HOST)) ports.add(port);
    assert.deepEqual(listeningPorts("everywhere").filter((port) => ports.has(port)), []);
    return site.saved()?.runs.length === 2;
  });
  await exits(0, program.ended);
  const { runs = [], flags: kept } = site.saved() ?? {};
  for (const { url, requests } of runs) {
    assert.equal(new URL(url).hostname, OWN_HOST);
    assert.ok(ports.has(Number(new URL(url).port)), `${url}, not ${[...ports]}`);
    assert.ok(requests.completed > 0);
  }
  assert.equal(runs.length, 2);
  assert.equal(ports.size, 2, "the server behind the proxy is on loopback");
  assert.equal(kept?.host, OWN_HOST);
  assert.ok(readFileSync(join(site.out, "report.html"), "utf8").includes(`--host ${OWN_HOST}`));
});

withLinux.test("what was interrupted goes on at the same host, and at no other", async () => {
  using site = new Site(EXPERIMENT);
  await site.interrupted(1, { signal: "SIGINT", more: ["--host", OWN_HOST] });
  const other = await exits(2, site.resume("--host", "127.0.0.1"));
  assert.match(other.stderr, /^--host: Cannot change this to 127\.0\.0\.1 .*: it was 127\./m);
  const flags = site.saved()?.flags;
  assert.ok(flags !== undefined);
  site.edit({ flags: { ...flags, host: "198.51.100.7" } });
  const gone = await exits(2, site.resume("--seed", "1"));
  assert.match(gone.stderr, /^--host: Cannot listen on "198\.51\.100\.7": it is not an address/m);
  assert.match(gone.stderr, /^--seed: Cannot change this/m);
  site.edit({ flags });
  await exits(0, site.resume("--host", OWN_HOST));
  const hosts = site.saved()?.runs.map(({ url }) => new URL(url).hostname);
  assert.deepEqual(hosts, Array(4).fill(OWN_HOST));
});

for (const driver of ["epoll", "tcp"]) {
  withLinuxAndMountns.test(`bench --driver ${driver} reaches a name of the hosts file at the address that responds`, async () => {
    using folder = emptyFolder();
    const hosts = join(folder.path, "hosts");
    Deno.writeTextFileSync(hosts, "127.0.0.9 two.test\n127.0.0.1 two.test\n");
    const listed = 'mount --bind "$0" /etc/hosts && exec "$@"';
    const through = ["unshare", "--mount", "sh", "-c", listed, hosts];
    const place = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
    await using server = Deno.serve(place, () => new Response("ok"));
    const url = `http://two.test:${server.addr.port}/`;
    const flags = ["-c", "2", "-n", "20", "--driver", driver, "--json", "-"];
    const { stdout } = await exits(0, ["bench", url, ...flags], { through });
    assert.equal(measurement.parse(JSON.parse(stdout)).requests.completed, 20);
  });
}
