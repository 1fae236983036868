import assert from "node:assert/strict";
import { listenHost } from "../../base/net/listen_host.ts";
import { testWith } from "../needs.ts";
import { toldOf } from "./command_line.ts";

const EXAMPLES = String.raw`write an address of this machine, such as [\da-f.:]+(?:, [\da-f.:]+)*`;
const EVERYWHERE = `the load generators need one address to connect to; ${EXAMPLES}`;
const NO_HOST = "write an address or a name of this machine, without a port";

const wrong: [sentence: string, host: string, why: string][] = [
  ["every address", "0.0.0.0", EVERYWHERE],
  ["every address, in short", "0", EVERYWHERE],
  ["every address of IPv6", "::", EVERYWHERE],
  ["every address of IPv6, in brackets", "[0:0::0]", EVERYWHERE],
  ["every address of IPv4 in IPv6", "::ffff:0.0.0.0", EVERYWHERE],
  [
    "another machine's address",
    "198.51.100.7",
    `it is not an address of this machine; ${EXAMPLES}`,
  ],
  [
    "a name that nobody has",
    "no-such-machine.invalid",
    `there is no host of that name; ${EXAMPLES}`,
  ],
  ["an address with a port", "127.0.0.1:80", NO_HOST],
  ["a URL", "http://127.0.0.1", NO_HOST],
  ["a path", "127.0.0.1/a", NO_HOST],
  ["a user", "me@127.0.0.1", NO_HOST],
  ["an interface", "fe80::1%lo", NO_HOST],
  ["nothing", "", NO_HOST],
];

for (const [sentence, host, why] of wrong) {
  Deno.test(`run --host refuses ${sentence}, and says what to write`, async () => {
    const [line, ...rest] = await toldOf(["run", "--host", host]);
    assert.deepEqual(rest, []);
    const text = `^--host: Cannot listen on "${RegExp.escape(host)}": ${why}$`;
    assert.match(line, new RegExp(text));
  });
}

Deno.test("run tells of a wrong host with all that is wrong besides", async () => {
  const lines = await toldOf(["run", "--host", "0.0.0.0", "--repeat", "0", "--nonsense"]);
  assert.deepEqual(lines.map((line) => line.split(":")[0]).sort(), [
    "--host",
    "--nonsense",
    "--repeat",
  ]);
});

Deno.test("a host is written as URLs have it", () => {
  assert.equal(listenHost.parse("127.1"), "127.0.0.1");
  assert.equal(listenHost.parse("LocalHost"), "localhost");
});

testWith(["ipv6"], "an IPv6 host may be written in any way, and is kept in the shortest", () => {
  for (const written of ["::1", "[::1]", "0:0:0:0:0:0:0:1", "0::0001"]) {
    assert.equal(listenHost.parse(written), "::1");
  }
});
