/** Where py-spy is looked for. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { readCommandLine } from "../../base/system/processes.ts";
import { pySpyProfiler } from "../../targets/profile/py_spy.ts";
import { installedTool } from "../../targets/profile/tool.ts";
import { until } from "../e2e/patience.ts";
import { testWith } from "../needs.ts";

const CONTEXT = { origin: "http://127.0.0.1:1", pprofPath: null, forMs: 1_000 };

/** Writes what py-spy would into the file of its last argument. */
const FAKE = '#!/bin/sh\nfor file; do :; done\necho "main (app.py:1);hot (app.py:7) 3" > "$file"\n';

testWith(
  ["linux"],
  "py-spy of the target's virtual environment is found, though it is not on PATH",
  async () => {
    const bin = await Deno.makeTempDir();
    const python = join(bin, "python");
    await Deno.copyFile("/bin/sh", python);
    await using process = new Deno.Command(python, { args: ["-c", "read line"], stdin: "piped" })
      .spawn();
    await until(
      "its command line is known",
      () => readCommandLine(process.pid)?.startsWith(python) ?? null,
    );
    const start = () =>
      pySpyProfiler.start({ pid: process.pid, program: "python" }, {
        ...CONTEXT,
        signal: new AbortController().signal,
      });
    try {
      await Deno.writeTextFile(join(bin, "py-spy"), FAKE, { mode: 0o755 });
      const { tree, samples } = await (await start()).stop();
      assert.equal(samples, 3);
      assert.deepEqual(tree.frames.map(({ name }) => name), ["main", "hot"]);
    } finally {
      await Deno.remove(bin, { recursive: true });
    }
  },
);

Deno.test("where a profiler is not installed, it is said where it was looked for", () => {
  const name = "no-such-profiler";
  assert.throws(() => installedTool(name, "get it"), {
    message: "no-such-profiler is not on PATH (get it)",
  });
  assert.throws(() => installedTool(name, "get it", "/nowhere"), {
    message: "no-such-profiler is neither beside the target's interpreter nor on PATH (get it)",
  });
});
