/**
 * `deno task field [SERVER…] [--only SITUATION] [--way WAY] [--driver NAME] [--all]` tries real servers of HTTP/2 and
 * TLS in every situation of `situations.ts`, with every driver. It prints what was wrong, then a table of verdicts, and
 * exits with code 1 if anything was wrong. Servers whose programs are not installed are skipped and named.
 */
import { parseArgs } from "node:util";
import { EXIT, ExpectedError, messageOf } from "../../base/errors.ts";
import { print, printError } from "../../cli/terminal/terminal.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { DRIVERS } from "../../runner/load/transports/drivers.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { startOrigin } from "./origin.ts";
import { servers } from "./registry.ts";
import { missingOf, type Running, startField, versionOf } from "./running.ts";
import { type FieldServer, type Way, WAYS } from "./server.ts";
import { type Situation, situations, warmUp } from "./situations.ts";
import { attempt, type Outcome, type Trial } from "./trial.ts";

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    way: { type: "string", default: "" },
    driver: { type: "string", default: "" },
    /** Whether to print correct outcomes, too. */
    all: { type: "boolean", default: false },
  },
});

const DRIVER_NAMES = (Object.keys(DRIVERS) as DriverName[]).filter((name) =>
  name.includes(values.driver)
);

interface Verdicts {
  readonly server: FieldServer;
  readonly version: string;
  readonly outcomes: readonly Outcome[];
}

function lanesOf(server: FieldServer): Trial[][] {
  const ways = WAYS.filter((way) => server.ways[way] !== undefined && way.includes(values.way));
  const chosen = situations.filter(({ name }) => name.includes(values.only));
  return ways.flatMap((way) =>
    DRIVER_NAMES.map((driver) =>
      chosen.filter((situation) => isTried(server, situation, way)).map((situation) => ({
        situation,
        way,
        driver,
      }))
    )
  );
}

function isTried({ reload, only }: FieldServer, situation: Situation, way: Way): boolean {
  if (only?.includes(situation.name) === false) return false;
  if (situation.meanwhile === "reload" && reload === undefined) return false;
  return situation.ways?.includes(way) ?? true;
}

/**
 * Tries each way (protocol) with each driver, all at the same time, because trials mostly wait. The trials that reload
 * the server come last, and run one by one.
 */
async function tryAll(server: FieldServer, running: Running): Promise<Outcome[]> {
  const lanes = lanesOf(server);
  const isLast = ({ situation }: Trial): boolean => situation.meanwhile === "reload";
  const outcomes = await Promise.all(
    lanes.map((lane) => inOrder(server, running, lane.filter((trial) => !isLast(trial)))),
  );
  return [...outcomes.flat(), ...await inOrder(server, running, lanes.flat().filter(isLast))];
}

async function inOrder(
  server: FieldServer,
  running: Running,
  trials: readonly Trial[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const lane = { server, running, loader: new LocalLoader() };
  if (trials.length > 0) await attempt(lane, { ...trials[0], situation: warmUp });
  for (const trial of trials) {
    const outcome = await attempt(lane, trial);
    outcomes.push(outcome);
    const { situation, way, driver, fault, seen } = outcome;
    if (fault === null && !values.all) continue;
    await say(`  ${way}, ${driver}, ${situation.name}: ${fault ?? "right"}`, `    ${seen}`);
  }
  await lane.loader.close();
  return outcomes;
}

/** Whether an outcome is a fault of Plateau. Known faults of the server itself do not count. */
function isWrong({ differs }: FieldServer, { fault, situation, way }: Outcome): boolean {
  const difference = differs?.[situation.name];
  const isItsOwn = difference !== undefined && (difference.ways?.includes(way) ?? true);
  return fault !== null && !isItsOwn;
}

/**
 * The verdict on a server in one situation: the number of trials if all were right, the number of wrong ones otherwise,
 * or a dash if there were no trials. A star marks known faults of the server.
 */
function verdictOf({ outcomes, server }: Verdicts, { name }: Situation): string {
  const tried = outcomes.filter(({ situation }) => situation.name === name);
  if (tried.length === 0) return "–";
  const wrong = tried.filter((outcome) => isWrong(server, outcome)).length;
  const areOwn = tried.some((outcome) => outcome.fault !== null && !isWrong(server, outcome));
  const star = areOwn ? "*" : "";
  return wrong > 0 ? `**${wrong} of ${tried.length} wrong**${star}` : `${tried.length}${star}`;
}

function tableLines(verdicts: readonly Verdicts[]): string[] {
  const chosen = situations.filter(({ name }) => name.includes(values.only));
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const differences = verdicts.flatMap(({ server, outcomes }) =>
    Object.entries(server.differs ?? {})
      .filter(([name]) => outcomes.some(({ situation }) => situation.name === name))
      .map(([name, { how }]) => `\\* ${server.name}, ${name}: ${how}.`)
  );
  const tried = verdicts.reduce((sum, { outcomes }) => sum + outcomes.length, 0);
  return [
    "",
    row(["server", ...chosen.map(({ name }) => name)]),
    row(["---", ...chosen.map(() => "---:")]),
    ...verdicts.map((one) =>
      row([
        `${one.server.name} ${one.version}`,
        ...chosen.map((situation) => verdictOf(one, situation)),
      ])
    ),
    ...differences.flatMap((line) => ["", line]),
    "",
    `${tried} tries on ${verdicts.length} servers, ${wrongIn(verdicts)} wrong.`,
  ];
}

async function say(...lines: readonly string[]): Promise<void> {
  await print(textLines(lines));
}

function wrongIn(verdicts: readonly Verdicts[]): number {
  return verdicts.reduce(
    (sum, { server, outcomes }) => sum + outcomes.filter((one) => isWrong(server, one)).length,
    0,
  );
}

async function main(): Promise<number> {
  const strangers = positionals.filter((name) => !servers.some((server) => server.name === name));
  if (strangers.length > 0) {
    const known = servers.map(({ name }) => name).join(", ");
    printError(textLines([`Cannot find ${strangers.join(", ")}: the servers are ${known}`]));
    return EXIT.usage;
  }
  const chosen = servers.filter(({ name }) =>
    positionals.length === 0 || positionals.includes(name)
  );
  const verdicts: Verdicts[] = [];
  let failed = false;
  await using origin = await startOrigin();
  for (const server of chosen) {
    const missing = missingOf(server);
    if (missing.length > 0) {
      await say(
        `${server.name}: skipped, because ${missing.join(" and ")} is missing (${server.install})`,
      );
      continue;
    }
    const version = await versionOf(server);
    await say(`${server.name} ${version}`);
    try {
      await using running = await startField(server, origin.port);
      verdicts.push({ server, version, outcomes: await tryAll(server, running) });
    } catch (error) {
      failed = true;
      const lines = error instanceof ExpectedError ? error.lines : [messageOf(error)];
      await say(...lines.map((line) => `  ${line}`));
    }
  }
  await say(...tableLines(verdicts));
  return failed || wrongIn(verdicts) > 0 ? EXIT.failedCheck : EXIT.done;
}

Deno.exit(await main());
