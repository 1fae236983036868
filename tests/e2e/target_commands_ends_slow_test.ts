/** What becomes of the commands of targets where the user interrupts, or something breaks: teardown once, nothing left. */
import assert from "node:assert/strict";
import { needing } from "../needs.ts";
import { assertNothingLeft, CommandedSite, says } from "./command_log.ts";
import { adoptOrphans } from "./processes.ts";
import { startWitness } from "./witness.ts";
import { exits } from "./plateau.ts";

const withLinux = needing("linux");

if (Deno.build.os === "linux") adoptOrphans();

const HANG = "sleep 600 & sleep 600";

interface Moment {
  readonly when: string;
  /** The line that the commands write when it has come. */
  readonly line: string;
  readonly lines: Record<string, unknown>;
  /** Behind it. */
  readonly then: readonly string[];
}

const MOMENTS: readonly Moment[] = [
  {
    when: "setup",
    line: "setup",
    lines: { setup: [says("setup", HANG), says("never")] },
    then: ["teardown"],
  },
  {
    when: "before",
    line: "before",
    lines: { before: [says("before", HANG), says("never")] },
    then: ["after", "teardown"],
  },
  {
    when: "before, with the target up",
    line: "responds",
    lines: { before: [says("before {origin}"), says("responds", HANG), says("never")] },
    then: ["after", "teardown"],
  },
  {
    when: "a load",
    line: "before",
    lines: { before: [says("before")] },
    then: ["after", "teardown"],
  },
  {
    when: "after, which has its time-out",
    line: "hanging",
    lines: { after: [{ command: says("hanging", HANG), timeout: "1s" }, says("after")] },
    then: ["after", "teardown"],
  },
  {
    when: "teardown, which has its time-out",
    line: "hanging",
    lines: {
      repeat: 1,
      teardown: [{ command: says("hanging", HANG), timeout: "1s" }, says("teardown")],
    },
    then: ["teardown"],
  },
];

for (const { when, line, lines: { repeat = 3, ...lines }, then } of MOMENTS) {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    withLinux.test(`${signal} during ${when} ends in order: one teardown, nothing left`, async () => {
      using site = new CommandedSite();
      let requests = 0;
      await using witness = startWitness({ onRequest: () => requests++ });
      const isLoad = when === "a load";
      await using program = site.start({
        targets: {
          a: {
            ...isLoad ? { url: witness.origin } : { app: "api" },
            after: [says("after")],
            teardown: [says("teardown")],
            ...lines,
          },
        },
        load: { connections: 1, ...isLoad ? { duration: "60s" } : { requests: 20 } },
        repeat,
      });
      await program.until(
        `${line} is there`,
        () => site.done().includes(line) && (!isLoad || requests > 10),
      );
      program.kill(signal);
      const { stderr } = await exits(130, program.ended);
      const done = site.done();
      assert.deepEqual(done.slice(done.lastIndexOf(line) + 1), then);
      assert.equal(done.filter((one) => one === "teardown").length, 1);
      assert.doesNotMatch(stderr, /^\s+at /m);
      assert.equal(site.saved().state, when.startsWith("teardown") ? "done" : "interrupted");
      await assertNothingLeft();
    });
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  withLinux.test(`a second ${signal} during teardown ends at once, and leaves nothing`, async () => {
    using site = new CommandedSite();
    await using program = site.start({
      targets: { a: { app: "api", teardown: [says("teardown", HANG), says("never")] } },
      repeat: 50,
    });
    await program.until(
      "a run is made",
      () => site.read("out/results.json").includes('"repetition":1'),
    );
    program.kill(signal);
    await program.until("it tears down", () => site.done().includes("teardown"));
    program.kill(signal);
    await exits(130, program.ended);
    assert.deepEqual(site.done(), ["teardown"]);
    assert.equal(site.saved().state, "interrupted");
    await assertNothingLeft();
  });
}

withLinux.test("SIGKILL leaves no process of a step", async () => {
  using site = new CommandedSite();
  await using program = site.start({
    targets: { a: { app: "api", setup: [says("setup", HANG)] } },
  });
  await program.until("it sets up", () => site.done().includes("setup"));
  program.kill("SIGKILL");
  await program.ended;
  await assertNothingLeft();
});

withLinux.test("an error that ends the experiment is no way around teardown", async () => {
  using site = new CommandedSite();
  const sabotage = "rm -rf out; echo > out"; // results can't be written any more
  const { code, stderr } = await site.start({
    targets: {
      a: { app: "api", before: [says("before", sabotage)], teardown: [says("teardown")] },
    },
  }).ended;
  assert.notEqual(code, 0, stderr);
  assert.match(stderr, /Cannot write .*results\.json/);
  assert.deepEqual(site.done(), ["before", "teardown"]);
});
