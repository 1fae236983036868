/** How promptly a thread gets a core: the slices that the scheduler gives it. */
import assert from "node:assert/strict";
import { takeSlicesOf } from "../../base/system/affinity.ts";
import { processCalls } from "../../base/system/libc.ts";
import { needing } from "../needs.ts";

const withLinux = needing("linux");

const SCHED_GETATTR = Deno.build.arch === "x86_64" ? 315n : 275n;

interface Attributes {
  readonly policy: number;
  readonly nice: number;
  /** 0 before Linux 6.12. */
  readonly sliceUs: number;
}

/** Of this thread, as the system has them. */
function attributes(): Attributes {
  const words = new Uint32Array(12);
  assert.equal(processCalls().syscall(SCHED_GETATTR, 0n, words, 48n, 0n), 0n);
  return { policy: words[1], nice: words[4] | 0, sliceUs: words[6] / 1_000 };
}

withLinux.test("a thread takes slices as short as it likes, and nothing else of it changes", () => {
  processCalls(); // opened for good
  const before = attributes();
  try {
    assert.equal(takeSlicesOf(100), true);
    const sliceUs = before.sliceUs === 0 ? 0 : 100;
    assert.deepEqual(attributes(), { ...before, sliceUs });
  } finally {
    assert.equal(takeSlicesOf(0), true);
  }
  assert.deepEqual(attributes(), before);
});
