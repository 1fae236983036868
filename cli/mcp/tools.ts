/** The tools of `plateau mcp`: the input that each accepts, and the command line that the input becomes. */
import * as z from "zod";

export interface CommandTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /**
   * Whether the tool generates load or starts servers. Only one such tool runs at a time, because two would disturb
   * each other.
   */
  readonly isMeasuring: boolean;
  /** Turns the input into a command, its flags and its operands. */
  readonly line: (input: Readonly<Record<string, unknown>>) => CommandLine;
}

export interface CommandLine {
  readonly command: string;
  readonly flags: readonly string[];
  readonly operands: readonly string[];
}

const duration = z.string().describe("A duration, such as 10s");
const thresholds = z.array(z.string()).optional()
  .describe('Pass/fail rules, such as "p99 < 50ms" or "success >= 99.9%"');
const seed = z.int().min(0).optional().describe("Seed of every random choice");
const set = z.record(z.string(), z.string()).optional().describe("Parameters of the file, by name");
const only = z.string().optional().describe("Only matching cells, such as target=A,scenario=B");
const results = "A results.json, its folder, a folder of several sessions, or the JSON of bench";

const figures = z.boolean().optional()
  .describe("false returns only the text, without the long JSON of the figures");

/** Inputs that every tool accepts. */
export const forAll = { figures };

/** Maps each key of the input to the flag that it sets. */
type FlagNames = Readonly<Record<string, string>>;

function flagsOf(input: Readonly<Record<string, unknown>>, names: FlagNames): string[] {
  return Object.entries(names).flatMap(([key, flag]): string[] => {
    const value = input[key];
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    if (Array.isArray(value)) return value.map((each) => `${flag}=${each}`);
    return [`${flag}=${value}`];
  });
}

function operand(value: unknown): string {
  return z.string().parse(value);
}

/** Returns `--set=name=value` for each setting. */
function setFlags({ set = {} }: { readonly set?: unknown }): string[] {
  return Object.entries(z.record(z.string(), z.string()).parse(set))
    .map(([name, value]) => `--set=${name}=${value}`);
}

const headers = z.record(z.string(), z.string());

export const TOOLS: readonly CommandTool[] = [
  {
    name: "check",
    title: "Check an experiment",
    description:
      "Validates an experiment file without running it, and returns its cells and how long it " +
      "would take. Errors name the file, the line and the fix.",
    input: z.strictObject({
      ...forAll,
      experiment: z.string().describe("The file, or the name of a built-in experiment"),
      set,
      only,
    }),
    isMeasuring: false,
    line: ({ experiment, ...input }) => ({
      command: "check",
      flags: [...flagsOf(input, { only: "--only" }), ...setFlags(input)],
      operands: [operand(experiment)],
    }),
  },
  {
    name: "bench",
    title: "Measure a URL",
    description:
      "Loads one URL, and returns requests/s, latency percentiles, errors, the timeline and " +
      "whether the measurement can be trusted. The server must run already.",
    input: z.strictObject({
      ...forAll,
      url: z.string(),
      connections: z.int().min(1).optional().describe("50 when absent"),
      duration: duration.optional().describe("10s when absent"),
      requests: z.int().min(1).optional().describe(
        "Number of requests, instead of a duration",
      ),
      rate: z.string().optional()
        .describe("Open loop: requests arrive at this rate, such as 1000/s; absent: a closed loop"),
      method: z.string().optional(),
      headers: headers.optional(),
      body: z.string().refine((text) => !text.startsWith("@"), {
        error:
          "Cannot send a body that starts with @, because plateau bench reads @ as a file's name",
      }).optional(),
      http2: z.boolean().optional(),
      timeout: duration.optional().describe("A request that takes longer fails; 5s when absent"),
      expectStatus: z.int().min(100).max(599).optional().describe(
        "Expected status; a response with another status fails a check",
      ),
      thresholds,
      seed,
    }),
    isMeasuring: true,
    line: ({ url, headers: fields = {}, ...input }) => ({
      command: "bench",
      flags: [
        ...flagsOf(input, {
          connections: "--connections",
          duration: "--duration",
          requests: "--requests",
          rate: "--rate",
          method: "--method",
          body: "--body",
          http2: "--http2",
          timeout: "--timeout",
          expectStatus: "--expect-status",
          thresholds: "--threshold",
          seed: "--seed",
        }),
        ...Object.entries(headers.parse(fields)).map(([name, value]) =>
          `--header=${name}: ${value}`
        ),
      ],
      operands: [operand(url)],
    }),
  },
  {
    name: "run",
    title: "Run an experiment",
    description:
      "Starts the servers that an experiment file names, loads them, repeats every measurement " +
      "with fresh processes, and compares them. It runs the file's commands; use check to learn how long it takes.",
    input: z.strictObject({
      ...forAll,
      experiment: z.string().describe("The file, or the name of a built-in experiment"),
      out: z.string().optional().describe("Folder of the results; results/NAME/TIME when absent"),
      repeat: z.string().optional().describe('Repetitions of each cell: a number, or "until 2%"'),
      duration: duration.optional().describe("Duration of each run, instead of the file's"),
      set,
      only,
      thresholds,
      seed,
    }),
    isMeasuring: true,
    line: ({ experiment, ...input }) => ({
      command: "run",
      flags: [
        ...flagsOf(input, {
          out: "--out",
          repeat: "--repeat",
          duration: "--duration",
          only: "--only",
          thresholds: "--threshold",
          seed: "--seed",
        }),
        ...setFlags(input),
      ],
      operands: [operand(experiment)],
    }),
  },
  {
    name: "compare",
    title: "Compare two results",
    description:
      "Compares results with earlier ones: ratio, confidence interval and verdict of each cell. " +
      "Two single sessions are always inconclusive.",
    input: z.strictObject({
      ...forAll,
      base: z.string().describe(results),
      new: z.string().describe(results),
      margin: z.string().optional().describe("Margin of equivalence, 2% when absent"),
      sessions: z.array(z.string()).optional()
        .describe("Earlier sessions of the same programs, which show how much sessions differ"),
      thresholds,
    }),
    isMeasuring: false,
    line: ({ base, new: next, ...input }) => ({
      command: "compare",
      flags: flagsOf(input, {
        margin: "--margin",
        sessions: "--sessions",
        thresholds: "--threshold",
      }),
      operands: [operand(base), operand(next)],
    }),
  },
  {
    name: "explain",
    title: "Explain results or a code",
    description:
      "Says what results mean and why they can or cannot be trusted, or what the code of a " +
      "finding or an advice means.",
    input: z.strictObject({
      ...forAll,
      about: z.string().describe(
        "A results.json, its folder, the JSON of bench, or a code such as steal",
      ),
    }),
    isMeasuring: false,
    line: ({ about }) => ({ command: "explain", flags: [], operands: [operand(about)] }),
  },
];
