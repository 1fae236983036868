/** The load generators: the command of each, and how to find the requests per second in its output. */
import { parseMeasurement, plateauCommand } from "../stage/plateau.ts";
import { type Generator, rateOfH2load, rateOfWrk } from "../stage/cost.ts";

interface Task {
  readonly url: string;
  readonly connections: number;
  /** The path of the program compiled from floor.c. */
  readonly floor: string;
}

export const contenders = {
  floor: {
    program: "cc",
    command: ({ floor, url, connections }, seconds) => [
      floor,
      ...[new URL(url).port, connections, seconds].map(String),
    ],
    ratePerSec: rateOfWrk,
  },
  "plateau epoll": plateau("epoll"),
  "plateau tcp": plateau("tcp"),
  wrk: peer("wrk", ({ url, connections }, seconds) => `-t1 -c${connections} -d${seconds}s ${url}`),
  oha: peer(
    "oha",
    ({ url, connections }, seconds) => `--no-tui -c ${connections} -z ${seconds}s ${url}`,
  ),
  h2load: peer(
    "h2load",
    ({ url, connections }, seconds) => `--h1 -t1 -c${connections} -D${seconds} ${url}`,
    rateOfH2load,
  ),
  gocannon: peer(
    "gocannon",
    ({ url, connections }, seconds) => `-m hist -c ${connections} -d ${seconds}s ${url}`,
  ),
  autocannon: peer(
    "autocannon",
    ({ url, connections }, seconds) => `--json -c ${connections} -d ${seconds} ${url}`,
    (output) => JSON.parse(output).requests.average,
  ),
  hey: peer("hey", ({ url, connections }, seconds) => `-c ${connections} -z ${seconds}s ${url}`),
} satisfies Record<string, Generator<Task>>;

export type ContenderName = keyof typeof contenders;

function plateau(driver: "epoll" | "tcp"): Generator<Task> {
  return {
    program: Deno.execPath(),
    command: ({ url, connections }, seconds) =>
      plateauCommand(
        url,
        `-w 1 --driver ${driver} -c ${connections} -d ${seconds}s`.split(" "),
      ),
    ratePerSec: (output) => parseMeasurement(output).rate,
  };
}

function peer(
  program: string,
  args: (task: Task, seconds: number) => string,
  ratePerSec = rateOfWrk,
): Generator<Task> {
  return {
    program,
    command: (task, seconds) => [program, ...args(task, seconds).split(" ")],
    ratePerSec,
  };
}
