import assert from "node:assert/strict";
import { cpus } from "node:os";
import {
  coreTimesOf,
  coreUseBetween,
  parseCoreTimes,
  readCoreTimes,
} from "../../base/system/core_times.ts";

const STAT = `cpu  300 20 200 900 40 0 30 50 7 0
cpu0 100 10 100 500 20 0 10 30 7 0
cpu1 200 10 100 400 20 0 20 20 0 0
intr 12345
ctxt 67
`;

Deno.test("a core is idle in idle time and in waits for disks", () => {
  assert.deepEqual(parseCoreTimes(STAT, null), {
    cores: 2,
    idleMs: 9_400,
    stolenMs: 500,
    interruptsMs: 0,
  });
});

Deno.test("interrupts are apart from the programs only where hardware interrupts are counted", () => {
  const counted = STAT.replaceAll(/^(cpu\d .*) 0 (\d+ \d+ \d+ 0)$/gm, "$1 4 $2");
  assert.equal(parseCoreTimes(counted, null)?.interruptsMs, 380);
});

Deno.test("only cores that are asked for count", () => {
  const one = { cores: 1, idleMs: 4_200, stolenMs: 200, interruptsMs: 0 };
  assert.deepEqual(parseCoreTimes(STAT, [1]), one);
  assert.equal(parseCoreTimes(STAT, [7]), null);
  assert.equal(parseCoreTimes("", null), null);
});

Deno.test("old kernels say neither interrupts nor stolen time", () => {
  const times = parseCoreTimes("cpu0 100 10 100 500\n", null);
  assert.deepEqual(times, { cores: 1, idleMs: 5_000, stolenMs: 0, interruptsMs: 0 });
});

Deno.test("what is neither idle nor stolen is in use, whatever the ticks hit; never less than nothing", () => {
  const before = { cores: 2, idleMs: 1_000, stolenMs: 10, interruptsMs: 5 };
  const after = { cores: 2, idleMs: 1_700, stolenMs: 30, interruptsMs: 8 };
  assert.deepEqual(coreUseBetween(before, after, 500), {
    busyMs: 280,
    stolenMs: 20,
    interruptsMs: 3,
  });
  assert.equal(coreUseBetween(before, after, 340).busyMs, 0);
});

Deno.test("where a system counts no stolen time, what is not idle is in use", () => {
  const before = coreTimesOf([{ times: { idle: 400 } }, { times: { idle: 600 } }]);
  const after = coreTimesOf([{ times: { idle: 500 } }, { times: { idle: 900 } }]);
  assert.ok(before !== null && after !== null);
  assert.deepEqual(coreUseBetween(before, after, 500), {
    busyMs: 600,
    stolenMs: null,
    interruptsMs: 0,
  });
  assert.equal(coreTimesOf([]), null);
});

const withCores = { ignore: cpus().length === 0 }; // as under Wine

Deno.test("the cores of macOS are read as Node has them, and are this machine's", withCores, () => {
  const times = readCoreTimes(null, "darwin");
  assert.ok(times !== null && times.cores > 0 && times.idleMs > 0);
});
