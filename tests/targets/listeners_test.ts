import assert from "node:assert/strict";
import { join } from "node:path";
import {
  inodesAt,
  listenersAt,
  parseTcpListeners,
  parseUnixListeners,
} from "../../base/system/listeners.ts";
import { emptyFolder, serve } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";

const TCP =
  `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1 0 100 0
   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 222 1 0 100 0
   2: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 333 1 0 100 0
   3: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 444 1 0 100 0
`;
const TCP6 =
  `  sl  local_address remote_address st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 555 1 0 100 0
   1: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 666 1 0 100 0
`;
const V4 = (...bytes: number[]) => Uint8Array.from(bytes);
const V6 = Uint8Array.from({ length: 16 }, (_, i) => i === 15 ? 1 : 0);

const CASES: [what: string, bytes: Uint8Array, port: number, inodes: string[]][] = [
  ["an address that somebody listens at", V4(127, 0, 0, 1), 8080, ["111"]],
  ["another address of the machine, where somebody listens at all", V4(10, 0, 0, 5), 8080, ["222"]],
  ["an IPv6 address", V6, 8080, ["555"]],
  ["a port where IPv4 and IPv6 are listened at each", V4(127, 0, 0, 1), 80, ["444", "666"]],
  ["a port that nobody listens at", V4(127, 0, 0, 1), 81, []],
];

for (const [what, bytes, port, inodes] of CASES) {
  Deno.test(`listening sockets are found for ${what}; connections are none`, () => {
    const listeners = [TCP, TCP6].flatMap(parseTcpListeners);
    assert.deepEqual(inodesAt({ bytes, port }, listeners), inodes);
  });
}

Deno.test("a unix socket is found by its path, which may have spaces, if it accepts connections", () => {
  const text = `Num       RefCount Protocol Flags    Type St Inode Path
00000000efb13578: 00000002 00000000 00010000 0001 01 28082 /run/my app.sock
0000000033ff4b4a: 00000003 00000000 00000000 0001 03 83088 /run/my app.sock
00000000107d2076: 00000003 00000000 00000000 0001 03 28215
`;
  assert.deepEqual(parseUnixListeners(text, "/run/my app.sock"), ["28082"]);
  assert.deepEqual(parseUnixListeners(text, "/run/other"), []);
});

testWith(["linux"], "who listens is known by process, and nobody where nobody does", async () => {
  await using api = await serve("api");
  const port = Number(new URL(api.origin).port);
  const at = { bytes: V4(127, 0, 0, 1), port };
  assert.deepEqual(listenersAt(at), [api.program.pid]);
  await api[Symbol.asyncDispose]();
  assert.deepEqual(listenersAt(at), []);
});

testWith(["linux"], "who listens at a unix socket is known", () => {
  using folder = emptyFolder();
  const path = join(folder.path, "socket");
  using _listener = Deno.listen({ transport: "unix", path });
  assert.deepEqual(listenersAt({ path }), [Deno.pid]);
});
