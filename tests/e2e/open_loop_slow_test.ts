import assert from "node:assert/strict";
import { join } from "node:path";
import type { Measurement } from "../../runner/result/result.ts";
import { bench } from "./measured.ts";
import { emptyFolder } from "./plateau.ts";
import { startWitness, type Witness } from "./witness.ts";

/** Whatever was sent has come; of what the end found under way a busy server may not have read all. */
async function assertAsked(witness: Witness, { requests }: Measurement): Promise<void> {
  const sent = requests.due - requests.dropped;
  const count = await witness.settledCount();
  assert.ok(count <= sent && count >= sent - requests.unfinished, `${count} of ${sent} came`);
}

for (const arrivals of ["uniform", "poisson"]) {
  for (const driver of ["auto", "tcp"]) {
    Deno.test(`a rate is kept, every arrival asked and seen: ${arrivals}, driver ${driver}`, async () => {
      await using witness = startWitness({ delayMs: 5 });
      const args = ["-r", "200/s", "-d", "1s", "--arrivals", arrivals, "--driver", driver];
      const measured = await bench(witness.origin, "--seed", "7", ...args);
      const { requests, latency, service } = measured;
      if (arrivals === "uniform") assert.equal(requests.due, 200);
      assert.ok(requests.due > 150 && requests.due < 250, `${requests.due} due`);
      await assertAsked(witness, measured);
      assert.equal(latency.clock, "intended");
      assert.ok(latency.mean >= service.mean);
    });
  }
}

Deno.test("equal seeds give equal numbers of Poisson arrivals, on any number of workers", async () => {
  await using witness = startWitness();
  const due = async (workers: string): Promise<number> => {
    const args = ["-r", "300/s", "-d", "500ms", "--arrivals", "poisson", "--seed", "3"];
    return (await bench(witness.origin, ...args, "-w", workers)).requests.due;
  };
  assert.equal(await due("1"), await due("3"));
});

Deno.test("more arrivals than a slow server can take wait, and those never sent are dropped", async () => {
  await using witness = startWitness({ delayMs: 50 });
  const args = ["-r", "200/s", "-c", "2", "-d", "1s"];
  const measured = await bench(witness.origin, ...args);
  const { requests, latency, service } = measured;
  assert.equal(requests.due, 200);
  assert.ok(requests.dropped > 140, `${requests.dropped} dropped`);
  // The wait for a connection is in the latency alone, and grows all the time.
  const [asked, due] = [service.percentiles["50"], latency.percentiles["50"]];
  assert.ok(asked < due / 2, `${asked} ms of ${due} ms`);
  assert.ok(latency.percentiles["99"] > 500, `${latency.percentiles["99"]} ms latency`);
  await assertAsked(witness, measured);
});

Deno.test("phases bring visitors, each with a session of its own", async () => {
  await using witness = startWitness();
  const { load, requests, sessions } = await bench(
    witness.origin,
    ...["--phases", "200ms@50/s,200ms@50/s..250/s,100ms@0/s", "-w", "2"],
  );
  assert.equal(load.kind, "phases");
  assert.deepEqual([requests.due, requests.completed, await witness.settledCount()], [40, 40, 40]);
  assert.ok(sessions);
  const { created, completed, failed, unfinished, length } = sessions;
  assert.deepEqual([created, completed, failed, unfinished, length.count], [40, 40, 0, 0, 40]);
});

Deno.test("the request log holds a line for every request, and the same percentiles", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const path = join(folder.path, "log.csv");
  const measured = await bench(witness.origin, "-n", "2000", "-w", "2", "--log", path);
  const [header, ...lines] = Deno.readTextFileSync(path).trimEnd().split("\n");
  assert.equal(header, "code;start;end;connection");
  const rows = lines.map((line) => line.split(";").map(Number));
  assert.equal(rows.length, measured.requests.due);
  assert.ok(
    rows.every(([code, start, end, connection]) =>
      code === 200 && start >= 0 && end > start && connection >= 0 && connection < 50
    ),
  );
  const timesMs = rows.map(([, start, end]) => (end - start) / 1e6).sort((a, b) => a - b);
  for (const [level, value] of Object.entries(measured.latency.percentiles)) {
    const exact = timesMs[Math.ceil(Number(level) / 100 * timesMs.length - 1e-9) - 1];
    assert.ok(
      Math.abs(value - exact) <= 0.001 + exact * 0.001,
      `p${level}: ${value}, not ${exact}`,
    );
  }
});
