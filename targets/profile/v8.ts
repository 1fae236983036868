/** V8's own sampling profiler, through the inspector: Node and Deno. Its files open in DevTools and speedscope. */
import { cpuProfile, treeOfCpuProfile } from "./formats/cpu_profile.ts";
import { findInspector, Inspector } from "./inspector.ts";
import type { Profiler, Sampled } from "./profiler.ts";
import * as z from "zod";

/** V8 takes a sample each millisecond by default, and at this distance costs a few percent. */
const INTERVAL_US = 1_000;

const stopped = z.looseObject({ profile: cpuProfile });

export const v8Profiler: Profiler = {
  ending: ".cpuprofile",
  suits: ({ program }) => /^(?:node|nodejs|deno)(?:[\d.]*)$/.test(program),
  async start({ pid }, { signal }) {
    const inspector = await Inspector.open(await findInspector(pid, signal), signal);
    try {
      await inspector.call("Profiler.enable");
      await inspector.call("Profiler.setSamplingInterval", { interval: INTERVAL_US });
      await inspector.call("Profiler.start");
    } catch (error) {
      inspector.close();
      throw error;
    }
    return { stop: () => stop(inspector) };
  },
};

async function stop(inspector: Inspector): Promise<Sampled> {
  try {
    const read = stopped.safeParse(await inspector.call("Profiler.stop"));
    if (!read.success) throw new Error("its inspector gave something else than a profile");
    const { profile } = read.data;
    return {
      bytes: new TextEncoder().encode(JSON.stringify(profile)),
      samples: profile.samples.length,
      ...treeOfCpuProfile(profile),
    };
  } finally {
    inspector.close();
  }
}
