/** Looks at what a process waits for: tables of sockets, and a program that writes to storage. */
import assert from "node:assert/strict";
import { acceptedAt, nameServerSockets, queuedAt } from "../../base/system/sockets.ts";
import { waitsOf, watchWaits } from "../../targets/observe/waits.ts";
import { until } from "../e2e/patience.ts";
import { needing } from "../needs.ts";

const withLinux = needing("linux");

const TCP =
  `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000004 00:00000000 00000000     0        0 111 1 0 100 0
   1: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 222 1 0 100 0
   2: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 333 1 0 100 0
   3: 0100007F:1F90 0100007F:C002 01 00000000:00000000 00:00000000 00000000     0        0 0 1 0 100 0
   4: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 444 1 0 100 0
   5: 0100007F:1F90 0100007F:C003 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0 100 0
`;
const UDP =
  `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  327: 0100007F:A0B1 3500007F:0035 01 00000000:00000000 00:00000000 00000000     0        0 555 2 00000000 0
  328: 00000000:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 666 2 00000000 0
`;

Deno.test("connections that nobody has accepted are in the row of who listens", () => {
  assert.equal(queuedAt(8080, TCP), 4);
  assert.equal(queuedAt(80, TCP), 0);
  assert.equal(queuedAt(81, TCP), null);
});

Deno.test("accepted connections have an inode, and are not those of the clients", () => {
  assert.equal(acceptedAt(8080, TCP), 1);
});

Deno.test("sockets to a name server are those connected to its port, not the server's own", () => {
  assert.deepEqual(nameServerSockets(UDP), ["socket:[555]"]);
});

Deno.test("means of looks are unknown where one look could not see, and so are few looks at connections", () => {
  const looks = [{ sleeping: 1, lookups: 2 }, { sleeping: 0, lookups: 1 }];
  const queue = { queued: 3, accepted: 4 };
  const seen = waitsOf({
    looks,
    queues: [queue, queue, { queued: 1, accepted: 5 }],
    storageBytes: 7,
  });
  assert.deepEqual(seen, {
    ...{ looks: 2, sleeping: 0.5, storageBytes: 7, lookups: 1.5 },
    connections: { looks: 3, leastQueued: 1, queued: 7 / 3, accepted: { least: 4, most: 5 } },
  });
  const unseen = [...looks, { sleeping: 0, lookups: null }];
  const few = waitsOf({ looks: unseen, queues: [queue], storageBytes: null });
  assert.equal(few.lookups, null);
  assert.equal(few.connections, null);
});

withLinux.test("a target is looked at while it is measured, and not while it rests", async () => {
  const moments = [0, 0];
  const ends = [true, false].map((isMeasured, at) =>
    watchWaits([Deno.pid], {
      port: null,
      isMeasured: () => {
        moments[at]++;
        return isMeasured;
      },
    })
  );
  await until("there were moments enough", () => moments.every((count) => count >= 30));
  const [measured, resting] = ends.map((end) => end());
  assert.ok(measured !== null && measured.looks >= 15, JSON.stringify(measured));
  assert.equal(resting, null);
});
