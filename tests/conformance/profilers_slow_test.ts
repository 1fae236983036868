/**
 * One suite over all profilers (targets/profile/profiler.ts): each finds the hot function of a process that it
 * samples, and leaves nothing behind, also where it is interrupted.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { frameTimes, hotPathOf, largestOwnPart } from "../../base/profile/frame_times.ts";
import type { ProfilerName } from "../../base/profile/call_tree.ts";
import { descendantsOf } from "../../base/system/processes.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { startTarget } from "../../targets/launchers.ts";
import type { ProcessSamples, ProfilingContext } from "../../targets/profile/profiler.ts";
import { startProfiles } from "../../targets/profile/profilers.ts";
import { type Need, needing } from "../needs.ts";
import { launchContext, targetFrom } from "../targets/fixtures/launch_context.ts";

const withLinux = needing("linux");

const FOLDER = join(import.meta.dirname ?? "", "../targets/fixtures/profiled");

interface Member {
  readonly profiler: ProfilerName;
  readonly runtime: string;
  readonly needs: readonly Need[];
  readonly command: (folder: string) => readonly string[];
  readonly hot: RegExp;
  readonly pprofPath?: string;
  /** Processes with the hot function; one when absent. */
  readonly processes?: number;
}

function built(folder: string): readonly string[] {
  const program = join(folder, "hot");
  const { success, stderr } = new Deno.Command("go", {
    args: ["build", "-o", program, join(FOLDER, "hot.go")],
    env: { GOFLAGS: "-mod=mod", GO111MODULE: "off" },
  }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
  return [program];
}

const NODE: Member = {
  profiler: "v8",
  runtime: "Node",
  needs: ["node", "linux"],
  command: () => ["node", "hot.mjs", "busy"],
  hot: /^hot$/,
};

const MEMBERS: readonly Member[] = [
  NODE,
  {
    ...NODE,
    runtime: "a cluster",
    command: () => ["node", "hot.mjs", "busy", "cluster"],
    processes: 2,
  },
  {
    profiler: "v8",
    runtime: "Deno",
    needs: ["linux"],
    command: () => [Deno.execPath(), "run", "-A", "--no-config", "hot.ts"],
    hot: /^hot$/,
  },
  {
    profiler: "pprof",
    runtime: "Go",
    needs: ["go", "linux"],
    command: built,
    hot: /^main\.hot$/,
    pprofPath: "/debug/pprof/profile",
  },
  { profiler: "perf", runtime: "Go", needs: ["go", "perf"], command: built, hot: /^main\.hot$/ },
  {
    profiler: "py-spy",
    runtime: "Python",
    needs: ["python", "py-spy"],
    command: () => ["python3", "hot.py"],
    hot: /^hot$/,
  },
];

interface Profiled {
  readonly sampled: readonly ProcessSamples[];
  readonly notes: readonly string[];
}

/** Fewer ms of CPU time hold little else than what a runtime does of its own. */
const ENOUGH_MS = 300;

/** On a busy machine a target may get next to none of the time of a profile: then it is taken once more. */
async function sampledEnough(profile: () => Promise<Profiled>): Promise<Profiled> {
  for (let left = 5;; left--) {
    const profiled = await profile();
    const isEnough = profiled.sampled.every(({ tree }) =>
      frameTimes(tree).reduce((sum, { ownMs }) => sum + ownMs, 0) >= ENOUGH_MS
    );
    if (isEnough || left === 0) return profiled;
  }
}

for (const { profiler, runtime, needs, command, hot, pprofPath = null, processes = 1 } of MEMBERS) {
  const { test } = needing(...needs);
  const start = (folder: string): Promise<RunningTarget> =>
    startTarget(
      targetFrom({ command: [...command(folder)], cwd: FOLDER }),
      launchContext({ inspectable: true }),
    );
  const contextOf = (target: RunningTarget, signal: AbortSignal): ProfilingContext => (
    { origin: target.origin, pprofPath, forMs: 1_500, signal }
  );

  test(`profiler ${profiler} finds the hot function of ${runtime}`, async () => {
    const folder = Deno.makeTempDirSync();
    const target = await start(folder);
    try {
      const { sampled, notes } = await sampledEnough(async () => {
        const context = contextOf(target, new AbortController().signal);
        const session = await startProfiles(target, context);
        await new Promise((resolve) => setTimeout(resolve, context.forMs));
        const { processes: all, notes } = await session.stop();
        const own = all.filter(({ profiler: by }) => by === profiler);
        return { sampled: own.flatMap((process) => process.sampled ?? []), notes };
      });
      const trees = sampled.filter(({ tree }) => hot.test(hotPathOf(tree)?.frame.name ?? ""));
      assert.equal(
        trees.length,
        processes,
        JSON.stringify({ notes, top: sampled.map(({ tree }) => frameTimes(tree).slice(0, 3)) }),
      );
      for (const { bytes, samples, tree } of trees) {
        assert.ok(bytes.length > 0 && samples > 10);
        // It is known to be the program's own.
        assert.match(largestOwnPart(tree)?.frame.name ?? "", hot);
      }
    } finally {
      await target.stop();
      Deno.removeSync(folder, { recursive: true });
    }
    assert.deepEqual(descendantsOf(Deno.pid), []);
  });

  test(`profiler ${profiler} leaves nothing of ${runtime} behind when it is interrupted`, async () => {
    const folder = Deno.makeTempDirSync();
    const target = await start(folder);
    const interruption = new AbortController();
    try {
      const session = await startProfiles(target, contextOf(target, interruption.signal));
      interruption.abort(new Error("interrupted"));
      await session.stop(); // with or without profiles, but in the end
    } finally {
      await target.stop();
      Deno.removeSync(folder, { recursive: true });
    }
    assert.deepEqual(descendantsOf(Deno.pid), []);
  });
}

withLinux.test("a target that opens no inspector goes without a profile, and says so", async () => {
  const target = await startTarget(
    targetFrom({ command: [Deno.execPath(), "run", "-A", "--no-config", "hot.ts"], cwd: FOLDER }),
    launchContext(),
  );
  try {
    const { signal } = new AbortController();
    const session = await startProfiles(target, {
      origin: target.origin,
      pprofPath: null,
      forMs: 100,
      signal,
    });
    const { processes, notes } = await session.stop();
    assert.deepEqual(processes.map(({ sampled }) => sampled), [null]);
    assert.match(notes[0], /^no profile of process \d+ \(deno: its inspector is not open\)$/);
  } finally {
    await target.stop();
  }
});
