/**
 * The launchers where `run --host` says that targets listen: each answers there, and nowhere else; who
 * stands behind a front stays on loopback.
 */
import assert from "node:assert/strict";
import { descendantsOf } from "../../base/system/processes.ts";
import { listeningPorts, OWN_HOST } from "../listening.ts";
import { needing, testWith } from "../needs.ts";
import { program } from "../targets/fixtures/launch_context.ts";
import { lateFailure, MEMBERS, others, serveHere, start, statusOf } from "./launcher_members.ts";

const withLinux = needing("linux");

for (const { name, needs = [], lines, owned } of MEMBERS) {
  testWith(
    [...needs, "linux"],
    `launcher ${name} listens at the host of the run alone`,
    async () => {
      await using server = serveHere();
      const target = await start(lines(server.addr.port), { others, host: OWN_HOST });
      const { hostname, port } = new URL(target.origin);
      assert.equal(hostname, owned ? OWN_HOST : "127.0.0.1");
      assert.equal(await statusOf(target.origin), 200);
      assert.deepEqual(listeningPorts(OWN_HOST), owned ? [Number(port)] : []);
      assert.ok(!listeningPorts("everywhere").includes(Number(port)));
      await target.stop();
      assert.deepEqual(listeningPorts(OWN_HOST), []);
      assert.deepEqual(descendantsOf(Deno.pid), []);
    },
  );
}

/** One of each that writes the address down in its own way. */
const WRITERS = ["app", "command", "proxy of a target", "cluster, reuseport", "nginx of a target"];

for (const { name, needs = [], lines } of MEMBERS.filter(({ name }) => WRITERS.includes(name))) {
  testWith([...needs, "ipv6"], `launcher ${name} writes an IPv6 host in brackets`, async () => {
    const target = await start(lines(1), { others, host: "::1" });
    assert.match(target.origin, /^http:\/\/\[::1\]:\d+$/);
    assert.equal(await statusOf(target.origin), 200);
    await target.stop();
    await assert.rejects(fetch(target.origin));
  });
}

Deno.test("a target may be started at a name of this machine, and is asked by it", async () => {
  for (const { lines } of MEMBERS.slice(0, 2)) {
    const target = await start(lines(1), { host: "localhost" });
    assert.match(target.origin, /^http:\/\/localhost:\d+$/);
    assert.equal(await statusOf(target.origin), 200);
    await target.stop();
  }
});

withLinux.test("a program that listens elsewhere is an error that says what to write", async () => {
  const advice = /; write \{host\} in its command or env, so that it listens on ([\d.]+)$/;
  const { message } = await lateFailure({ command: program("serve") }, advice, { host: OWN_HOST });
  assert.equal(advice.exec(message)?.[1], OWN_HOST);
});

withLinux.test("a target's own port is taken only when it is at the host of the run", async () => {
  await using server = serveHere();
  const lines = {
    command: program("serve"),
    env: { HOST: "{host}", PORT: String(server.addr.port) },
  };
  const target = await start(lines, { host: OWN_HOST });
  assert.equal(target.origin, `http://${OWN_HOST}:${server.addr.port}`);
  await target.stop();
  await assert.rejects(start(lines), /its port \d+ is in use/);
});
