/** Targets that listen on one port alone. */
import assert from "node:assert/strict";
import { freePort } from "../../targets/launch/environment.ts";
import { needing } from "../needs.ts";
import { assertNothingLeft, CommandedSite } from "./command_log.ts";
import { exits } from "./plateau.ts";
import { adoptOrphans } from "./processes.ts";

const withLinux = needing("linux");

if (Deno.build.os === "linux") adoptOrphans();

/** A program that knows its port, and takes no other. */
function fixed(port: number): Record<string, unknown> {
  const code = `Deno.serve({ port: ${port}, hostname: '127.0.0.1' }, () => new Response('a'))`;
  return { command: [Deno.execPath(), "eval", code], port };
}

withLinux.test("targets with one port are run in turn, variants of one too", async () => {
  using site = new CommandedSite();
  const port = freePort();
  await site.exits(0, {
    targets: { a: fixed(port), b: { ...fixed(port), env: { MODE: ["x", "y"] } } },
    order: "shuffled",
    repeat: 2,
  });
  assert.equal(site.saved().runs.length, 6);
  await assertNothingLeft();
});

withLinux.test("a port that somebody has is an error that names who, at check and at run", async () => {
  using site = new CommandedSite();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("other"),
  );
  const { port } = server.addr;
  const { code, stderr } = await site.start({ targets: { a: fixed(port) }, repeat: 3 }).ended;
  const says = new RegExp(
    `Cannot start target a: its port ${port} is in use by deno \\(process ${Deno.pid}\\)`,
  );
  assert.equal(code, 3, stderr);
  assert.match(stderr.replaceAll(/\s+/g, " "), says);
  assert.equal(site.saved().missing.length, 1);
  const checked = await exits(3, ["check", site.file]);
  assert.match(checked.stderr.replaceAll(/\s+/g, " "), says);
});

const OVERLAPS: readonly { what: string; experiment: Record<string, unknown>; says: RegExp }[] = [
  {
    what: "two kept targets",
    experiment: { targets: { a: fixed(3999), b: fixed(3999) }, fresh: false },
    says: /targets\.a: Cannot keep "a" running on port 3999: "b" needs that port, too/,
  },
  {
    what: "two variants of a kept target",
    experiment: { targets: { a: { ...fixed(3999), env: { MODE: ["x", "y"] } } }, fresh: false },
    says:
      /targets\.a: Cannot keep "a" running on port 3999: another variant of "a" needs that port, too/,
  },
  {
    what: "a kept target, alone and behind a proxy",
    experiment: { targets: { a: fixed(3999), p: { proxy: { origin: "a" } } }, fresh: false },
    says: /targets\.a: Cannot keep "a" running on port 3999: "p" needs that port, too/,
  },
  {
    what: "a kept target and its separate preflight check",
    experiment: {
      targets: { a: fixed(3999) },
      scenarios: { x: { get: "/" }, y: { get: "/y" } },
      fresh: false,
      prove: "apart",
    },
    says: /targets\.a: Cannot keep "a" running on port 3999: the process of its preflight check/,
  },
  {
    what: "a target and a server that runs already",
    experiment: { targets: { a: fixed(3999), b: { url: "http://localhost:3999" } } },
    says: /targets\.a: Cannot listen on port 3999: the server at the URL of "b" uses it/,
  },
  {
    what: "a target and a server behind a proxy",
    experiment: { targets: { a: fixed(3999), b: { proxy: { origin: "http://127.0.0.1:3999" } } } },
    says: /targets\.a: Cannot listen on port 3999: the server at the URL of "b"/,
  },
  {
    what: "instances of one target",
    experiment: { targets: { a: fixed(3999), b: { cluster: { of: "a" } } } },
    says: /Cannot start instances of "a": they would all have port 3999/,
  },
  {
    what: "a port and a PORT",
    experiment: { targets: { a: { ...fixed(3999), env: { PORT: "{port}" } } } },
    says: /Cannot have both port and PORT in env: leave one out/,
  },
];

for (const { what, experiment, says } of OVERLAPS) {
  Deno.test(`${what} on one port are refused by check`, async () => {
    using site = new CommandedSite();
    const scenarios = { x: { get: "/" } };
    Deno.writeTextFileSync(site.file, JSON.stringify({ name: "a", scenarios, ...experiment }));
    const { stderr } = await exits(2, ["check", site.file]);
    assert.match(stderr, says);
  });
}

const APART: readonly { what: string; experiment: Record<string, unknown> }[] = [
  { what: "a kept target alone", experiment: { targets: { a: fixed(freePort()) }, fresh: false } },
  {
    what: "a kept target with a separate preflight check and one cell",
    experiment: { targets: { a: fixed(freePort()) }, fresh: false, prove: "apart" },
  },
  {
    what: "a target and a server of another machine",
    experiment: { targets: { a: fixed(freePort()), b: { url: "http://192.0.2.1:3999" } } },
  },
];

for (const { what, experiment } of APART) {
  Deno.test(`${what} on one port is taken by check`, async () => {
    using site = new CommandedSite();
    const scenarios = { x: { get: "/" } };
    Deno.writeTextFileSync(site.file, JSON.stringify({ name: "a", scenarios, ...experiment }));
    await exits(0, ["check", site.file]);
  });
}
