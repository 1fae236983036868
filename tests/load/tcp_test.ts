import assert from "node:assert/strict";
import process from "node:process";
import type { DriverEvents } from "../../runner/load/engine/driver.ts";
import { BusyPeriods } from "../../runner/load/recording/busy_periods.ts";
import { TcpDriver } from "../../runner/load/transports/tcp.ts";

/** Nothing is dialed: the second tick, which was due long ago, ends it. */
class Late implements DriverEvents {
  readonly punctual = false;
  ticks = 0;
  onOpen(): void {}
  onRefused(): void {}
  onBytes(): void {}
  onEnd(): void {}
  onTick(nowUs: number): number {
    return this.ticks++ === 0 ? nowUs - 50_000 : Infinity;
  }
}

Deno.test("a tick that is overdue comes at once, and the runtime warns nobody of it", async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): number => warnings.push(message);
  process.on("warning", onWarning);
  try {
    const handler = new Late();
    const now = (): number => performance.now() * 1_000;
    const endpoint = { hostname: "127.0.0.1", port: 1 };
    await new TcpDriver([endpoint], 1, now, new BusyPeriods()).run(handler);
    assert.equal(handler.ticks, 2);
    assert.deepEqual(warnings, []);
  } finally {
    process.off("warning", onWarning);
  }
});
