/** The command that repeats the same measurement. */
import type { Results } from "../../../runner/result/result.ts";
import type { MeasuredRuns } from "../../cells/measured.ts";

type InvocationFlags = NonNullable<Results["flags"]>;

/** A flag and its value as the user wrote it; "" for a flag without a value. */
export type FlagWord = readonly [flag: string, text: string];

export function commandOf(measured: MeasuredRuns): string {
  const { bench, ab, file, flags, seed } = measured;
  if (bench) return benchCommandOf(bench.args, seed);
  if (ab) return abCommandOf(ab, flags ?? {}, seed);
  const name = file?.folder === null ? file.name.replace(/\.yaml$/, "") : sourceNameOf(measured);
  const words = [...flagWords(flags ?? {}), ["--seed", String(seed)]].flat()
    .filter((word) => word !== "");
  return ["plateau", "run", name, ...words].map(quoted).join(" ");
}

/**
 * The command of `ab`, to be run in the repository's top folder. The results of `ab` contain each target of the file
 * twice, once for each commit.
 */
function abCommandOf(
  { range, file, only, margin, order, confirm, threshold }: NonNullable<MeasuredRuns["ab"]>,
  flags: Partial<InvocationFlags>,
  seed: number,
): string {
  const words = [
    ...flagWords({ ...flags, only, threshold }),
    ["--margin", `${Number((100 * margin).toPrecision(12))}%`],
    ...order === undefined ? [] : [["--order", order]],
    ["--confirm", confirm ? "yes" : "no"],
    ["--seed", String(seed)],
  ];
  return ["plateau", "ab", range, file, ...words.flat()].map(quoted).join(" ");
}

/**
 * The name of the experiment's file in the current folder; "" for a built-in experiment, or if there is no experiment.
 */
export function sourceNameOf(
  { experiment, file }: Pick<MeasuredRuns, "experiment" | "file">,
): string {
  if (experiment === undefined) return "";
  return file?.folder === null ? "" : file?.name ?? `${experiment.name}.yaml`;
}

/**
 * The command that repeats a measurement of `bench`, from its arguments. Reports get shared, so credentials in header
 * fields and URLs are left out, and have to be added again.
 */
export function benchCommandOf(args: readonly string[], seed: number): string {
  const isLeftOut = (arg: string): boolean =>
    LEFT_OUT.some((flag) => arg === flag || arg.startsWith(`${flag}=`));
  const words = args.filter((arg, i) => !isLeftOut(arg) && !LEFT_OUT.includes(args[i - 1]));
  const isSeeded = words.some((word) => /^--seed(?:=|$)/.test(word));
  const seeded = isSeeded ? words : ["--seed", String(seed), ...words];
  return ["plateau", "bench", ...seeded.map(withoutSecret)].map(quoted).join(" ");
}

/**
 * Flags that are left out: `--like`, because the arguments already include what it stands for, and `--otlp`, because a
 * repeated measurement must not be sent to the same collector.
 */
const LEFT_OUT = ["--like", "--otlp"];

function withoutSecret(word: string): string {
  return word
    .replace(/^((?:-H|--header=)?\s*(?:authorization|proxy-authorization|cookie)\s*:).*/is, "$1 …")
    .replace(/^((?:--(?:redis|proxy)=)?(?:rediss?|https?):\/\/)[^/?#]*@/, "$1…@");
}

/** The flags that change an experiment, as words of a command. */
export function flagWords(
  { set = {}, only, repeat, duration, profile, observe, threshold = [], host, agents }: Partial<
    InvocationFlags
  >,
): FlagWord[] {
  const words: readonly (readonly [flag: string, text: string | undefined])[] = [
    ...Object.entries(set).map(([name, text]) => ["--set", `${name}=${text}`] as const),
    ["--only", only && onlyText(only)],
    ["--repeat", repeat === undefined ? undefined : repeatText(repeat)],
    ["--duration", duration === undefined ? undefined : durationText(duration)],
    ["--profile", profile ? "" : undefined],
    ["--observe", observe],
    ...threshold.map((text) => ["--threshold", text] as const),
    ["--host", host],
    ["--agents", agents?.toString()],
  ];
  return words.flatMap(([flag, text]) => text === undefined ? [] : [[flag, text] as const]);
}

function onlyText({ targets = [], scenarios = [] }: NonNullable<InvocationFlags["only"]>): string {
  return [
    ...targets.map((name) => `target=${name}`),
    ...scenarios.map((name) => `scenario=${name}`),
  ].join(",");
}

/**
 * The value of `--repeat`. Unlike an experiment file, the flag can't give the least and most repetitions for `until`.
 */
function repeatText(repeat: NonNullable<InvocationFlags["repeat"]>): string {
  if (typeof repeat === "number") return String(repeat);
  return `until ${Number((100 * (repeat.until ?? 0)).toPrecision(12))}%`;
}

function durationText(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

/** Quotes a word for a shell. Prefers double quotes, because the shells of all systems know them. */
export function quoted(word: string): string {
  if (/^[\w.,:/=@%+-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}
