/** Watches the first process of a target by pidusage: where there is no /proc. */
import type { Watched } from "../launch/launcher.ts";
import type { ResourcePoint } from "./resource_point.ts";
import { lookEachInterval, type LookTimes, type ResourceWatch, type WatchedUse } from "./watch.ts";

export function watchProcess({ pid, supervised }: Watched, times: LookTimes): ResourceWatch {
  const points: ResourcePoint[] = [];
  const look = async (pid: number): Promise<void> => {
    const { default: pidusage } = await import("pidusage");
    const { cpu, memory } = await pidusage(pid);
    const t = (performance.now() - times.sinceMs) / 1_000;
    if (t > 0) points.push({ endS: t, cpu: cpu / 100, memory });
  };
  const end = pid === null || supervised
    ? () => {}
    : lookEachInterval(times, () => void look(pid).catch(() => {})); // it fails once the process is gone
  return {
    stop(): Promise<WatchedUse> {
      end();
      return Promise.resolve({ resources: points, parts: [] });
    },
  };
}
