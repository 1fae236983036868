/** `plateau capacity URL --within RULE`: finds the highest rate at which every rule holds. */
import * as z from "zod";
import { EXIT, type Problem } from "../../base/errors.ts";
import type { Files } from "../../base/files.ts";
import { renderBlocks } from "../../report/render/terminal/blocks.ts";
import { capacityBlocks } from "../../report/subjects/capacity.ts";
import { jsonText } from "../../report/writing/json.ts";
import { type CapacitySearch, findCapacity } from "../../runner/capacity/capacity.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { NO_MESSAGES, objective, searchWidth } from "../../scenarios/claims/objective.ts";
import { SEARCH_PRESETS, searchTrial } from "../../scenarios/load/capacity_shape.ts";
import { duration } from "../../scenarios/load/load_shape.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { filesFor, requestWith } from "../commands/bench.ts";
import { fleetConflicts, loaderFor } from "../flags/fleet_flags.ts";
import { verifyCapacities } from "../output/verify_capacity.ts";
import { outputConflicts, takesStdout, writeOutputs } from "../flags/output_flags.ts";
import { interruptible } from "../terminal/process.ts";
import { print, progressView, terminalOptions } from "../terminal/terminal.ts";
import {
  type CommandParts,
  type ParsedValues,
  type RawArguments,
  under,
} from "../command_line/command.ts";
import { accessProblems } from "../flags/access_flags.ts";
import { optionsOf } from "../../base/load_options.ts";
import {
  asSent,
  benchParts,
  callConflicts,
  httpAddress,
  isHttp2,
  optionFlags,
  optionProblems,
  streamConflicts,
} from "../flags/bench_flags.ts";

/** Parses the durations of a short and a long trial, such as `5s,30s`, into seconds. */
const trial = z.string().transform((text) => text.split(",")).pipe(searchTrial)
  .transform(([short, long]): [number, number] => [short / 1_000, long / 1_000]);

const searchFlags = {
  within: {
    flags: "--within <RULE>",
    about: 'A rule that must hold, such as "p99 < 50ms" or "success >= 99.9%"; may be repeated',
    repeatable: true,
    schema: z.array(objective).min(1, {
      error: 'Cannot search for a capacity without a rule: add --within "p99 < 50ms", for example',
    })
      .prefault([]),
  },
  width: {
    flags: "--width <P>",
    about:
      "How far the confidence interval may reach to either side of the capacity, relative to it",
    preset: SEARCH_PRESETS.width,
    schema: searchWidth,
  },
  trial: {
    flags: "--trial <D,D>",
    about: "Length of the shortest and of the longest trial before the final, sustained one",
    preset: SEARCH_PRESETS.trial.join(","),
    schema: trial,
  },
  recover: {
    flags: "--recover <D>",
    about: "Maximum wait for the target to recover from a trial",
    preset: SEARCH_PRESETS.recover,
    schema: duration,
  },
  budget: {
    flags: "--budget <D>",
    about:
      "Maximum duration of the search with all its waits; exit code 5 if the interval is still too wide then",
    preset: SEARCH_PRESETS.budget,
    schema: duration,
  },
} satisfies CommandParts;

const { connections, workers, timeout, keepAlive, method, header, body } = benchParts;
const { insecure, cacert, cert, key, resolve, proxy, unix } = benchParts;
const { stream, until, hold, token } = benchParts;
const { grpc, proto, message, compress } = benchParts;
const { form, expectStatus, expectBody, json, interval, strict } = benchParts;
const { quiet, driver, seed, arrivals, agents, redis, redisPasswordFile, redisCacert } = benchParts;

/** A capacity search ends hopeless trials itself, so it does not take the option `abortOn`. */
const { abortOn: _, ...searchOptions } = optionFlags;

export const capacityParts = {
  url: httpAddress,
  ...under("Search:", searchFlags),
  connections: { ...connections, about: "Connections in total (default: 50)" },
  arrivals: { ...arrivals, about: "Arrival process: uniform or poisson (default: uniform)" },
  ...{ workers, timeout, keepAlive, method, header, body, form },
  ...{ stream, until, hold, token, grpc, proto, message, compress },
  ...searchOptions,
  ...{ insecure, cacert, cert, key, resolve, proxy, unix },
  ...{ expectStatus, expectBody, json, interval },
  strict: { ...strict, about: "Exit code 4 when the generator was the bottleneck" },
  quiet,
  ...{ agents, redis, redisPasswordFile, redisCacert, driver, seed },
} satisfies CommandParts;

type CapacityValues = ParsedValues<typeof capacityParts>;

export function capacityConflicts(written: RawArguments): Problem[] {
  const given = asSent(written);
  return [
    ...callConflicts(written),
    ...accessProblems(given),
    ...optionProblems(given),
    ...streamConflicts(given),
    ...messageConflicts(given),
    ...fleetConflicts(given),
    ...outputConflicts(given),
  ];
}

function messageConflicts({ stream, grpc, within = [] }: RawArguments): Problem[] {
  const isOfMessages = [within].flat().some((text) => {
    const { data } = objective.safeParse(text);
    return data !== undefined && data.messages !== null;
  });
  return isOfMessages && stream === undefined && grpc === undefined
    ? [{ place: "--within", message: NO_MESSAGES, fix: "add --stream events, lines or json-lines" }]
    : [];
}

export const capacityCommand = defineCommand({
  parts: capacityParts,
  conflicts: capacityConflicts,
  more:
    `Open-loop trials at many rates, short ones first, find where the first rule breaks. The last line
is the capacity with its 95 % interval. If the generator is the limit, the capacity is a lower bound: "At least".

Examples:
  plateau capacity http://127.0.0.1:8080/ --within "p99 < 50ms"
  plateau capacity http://127.0.0.1:8080/ --within "p99 < 50ms" --within "success >= 99.9%" --json -`,
  run: (values): Promise<number> =>
    interruptible(async (signal) => {
      const beganMs = performance.now();
      const { onProgress, stop } = await progressView(values.quiet);
      const onNote = (text: string): void => onProgress({ kind: "note", text });
      const loader = await loaderFor(values, onNote);
      const nowMs = (): number => performance.now();
      const search = searchOf(values, await filesFor(values));
      const found = await findCapacity(search, { loader, onProgress, signal, nowMs, beganMs })
        .finally(() => loader.close())
        .finally(stop);
      if ("unanswered" in found) {
        const { verifyMeasurement } = await import("../output/verify.ts");
        if (!signal.aborted) verifyMeasurement(found.unanswered);
        return EXIT.interrupted;
      }
      const isPrinted = !takesStdout(values);
      await writeOutputs(values, { json: () => jsonText(found, 2) }).finally(async () => {
        const options = terminalOptions();
        // If the output is not a terminal, lines are not wrapped, because scripts read the whole
        // result from the last line.
        const width = Deno.stdout.isTerminal() ? options.width : Infinity;
        if (isPrinted) await print(renderBlocks(capacityBlocks(found), { ...options, width }));
      });
      if (!signal.aborted) {
        verifyCapacities([{ place: "", search: found }], { isStrict: values.strict, isPrinted });
      }
      return EXIT.done;
    }),
});

function searchOf(values: CapacityValues, files: Files | null): CapacitySearch {
  const { connections, arrivals, workers, width, trial } = values;
  const load = loadOf({
    ...{ connections, arrivals, workers, ...optionsOf(values) },
    http2: isHttp2(values),
    rate: 1, // replaced by the rate of each trial
  });
  if (load.kind !== "rate" || load.arrivals === "recorded") {
    throw new Error("A load with a rate was read as another kind");
  }
  return {
    request: requestWith({ ...values, log: undefined, files }, load),
    objectives: values.within,
    widthRatio: width,
    trialS: trial,
    budgetS: values.budget / 1_000,
    recoverS: values.recover / 1_000,
  };
}
