/**
 * Runs under targets that mean harm: each ends soon after its deadline, and soon after a signal, with results that are
 * whole, no defect and nothing left. The limits stand a machine that halts; without them a run goes on for minutes, or
 * for ever.
 */
import assert from "node:assert/strict";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT } from "../../base/errors.ts";
import { results } from "../../runner/result/result.ts";
import { settlesWithin } from "../../targets/launch/settles.ts";
import { assertNothingLeft } from "../e2e/command_log.ts";
import { emptyFolder, type Ended, exits, Plateau } from "../e2e/plateau.ts";
import { adoptOrphans } from "../e2e/processes.ts";
import { testWith } from "../needs.ts";

if (Deno.build.os === "linux") adoptOrphans();

const TARGET = fileURLToPath(new URL("./target.mjs", import.meta.url));

/** Of `target.mjs`. */
const ACTS = [
  "spoils its counters",
  "writes counters that are none",
  "fills its folder with 10,000 files",
  "puts pipes in the place of files",
  "puts links to devices in the place of files",
  "puts folders in the place of its counters",
  "floods its standard output with lines",
  "floods its standard error without lines",
  "ignores TERM",
  "stops itself",
  "closes its listener",
  "responds with garbage",
  "responds octet by octet",
  "forks children all the time",
  "lists inspectors without end",
] as const;
type Act = typeof ACTS[number];

/** From the beginning of the act: a load of 1 s with a time-out of 1 s, the last reports and the stop of the target. */
const END_MS = 30_000;
/** From the signal. */
const SIGNAL_MS = 15_000;

class HostileRun implements AsyncDisposable {
  readonly #folder = emptyFolder();
  readonly #out = join(this.#folder.path, "out");
  readonly #mark = join(this.#folder.path, "mark");
  readonly program: Plateau;

  constructor(act: Act, duration: string) {
    const file = join(this.#folder.path, "hostile.json");
    const isProfiled = act === "lists inspectors without end";
    const experiment = {
      name: "hostile",
      targets: {
        bad: {
          command: ["node", TARGET, "{port}"],
          env: { ACT: act, MARK: this.#mark, OUT: this.#out },
          before: [["true"]],
          after: [["true"]],
        },
      },
      scenarios: { any: { get: "/" } },
      load: { connections: 2, duration, timeout: "1s" },
      observe: ["runtime"],
      ...isProfiled && { profile: { runs: 1 } },
      repeat: 1,
    };
    Deno.writeTextFileSync(file, JSON.stringify(experiment));
    this.program = new Plateau(["run", file, "--out", this.#out], { cwd: "/" });
  }

  async acts(): Promise<void> {
    await this.program.until("the target does what it does", () => existsSync(this.#mark));
  }

  async endsWithin(limitMs: number): Promise<Ended> {
    assert.ok(
      await settlesWithin(this.program.ended, limitMs),
      `it goes on after ${limitMs} ms: ${this.program.printed.stderr}`,
    );
    return await this.program.ended;
  }

  /** They are its own file, whatever the target has put there. */
  assertSaved(): void {
    const path = join(this.#out, "results.json");
    assert.ok(lstatSync(path).isFile());
    results.parse(JSON.parse(readFileSync(path, "utf8")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

for (const act of ACTS) {
  testWith(["linux", "node"], `a run ends soon under a target that ${act}`, async () => {
    await using run = new HostileRun(act, "1s");
    await run.acts();
    const { code, stderr } = await run.endsWithin(END_MS);
    assert.ok(code !== EXIT.defect && code < 128, `${code}: ${stderr}`);
    assert.doesNotMatch(stderr, /defect of Plateau/);
    run.assertSaved();
    await assertNothingLeft();
  });

  testWith(["linux", "node"], `a signal ends a run under a target that ${act}`, async () => {
    await using run = new HostileRun(act, "10m");
    await run.acts();
    run.program.kill("SIGINT");
    await exits(EXIT.interrupted, run.endsWithin(SIGNAL_MS));
    run.assertSaved();
    await assertNothingLeft();
  });
}
