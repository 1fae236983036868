/** The output formats of results, each into a file or to standard output. */
import { messageOf, type Problem, TargetError } from "../../base/errors.ts";
import { secrets } from "../../base/secrets.ts";
import { isStream, openStream, replaceFile } from "../../base/whole_file.ts";
import type { OutputFormat, Written } from "../../report/writing/written.ts";
import type { CommandParts, ParsedValues, RawArguments } from "../command_line/command.ts";
import { print } from "../terminal/terminal.ts";
import { outputFile } from "./values.ts";

export const outputFlags = {
  json: {
    flags: "--json <FILE>",
    about: "Full results as JSON; - is standard output",
    schema: outputFile.optional(),
  },
  csv: { flags: "--csv <FILE>", about: "One CSV row per run", schema: outputFile.optional() },
  csvIntervals: {
    flags: "--csv-intervals <FILE>",
    about: "One CSV row per interval of each run: the timelines",
    schema: outputFile.optional(),
  },
  markdown: {
    flags: "--markdown <FILE>",
    about: "Summary as a Markdown table, for a pull request",
    schema: outputFile.optional(),
  },
  junit: {
    flags: "--junit <FILE>",
    about: "Checks and thresholds as JUnit XML, for CI",
    schema: outputFile.optional(),
  },
  html: { flags: "--html <FILE>", about: "The report page", schema: outputFile.optional() },
} satisfies CommandParts;

type Form = keyof typeof outputFlags;
const FORMS = Object.keys(outputFlags) as Form[];

export type Outputs = ParsedValues<typeof outputFlags>;

interface PlaceOf extends Record<Form, OutputFormat> {
  json: "json";
  csv: "csv";
  csvIntervals: "csv";
  markdown: "markdown";
  junit: "xml";
  html: "html";
}

/** How each format is made, when its flag is given. */
export type Renderers<Formats extends Form = Form> = {
  readonly [F in Formats]: () => Written<PlaceOf[F]> | Promise<Written<PlaceOf[F]>>;
};

/** Standard output holds one thing. */
export function outputConflicts(given: RawArguments): Problem[] {
  const [first, ...others] = FORMS.filter((form) => given[form] === "-");
  return others.map((form) => ({
    place: longName(form),
    message: `Cannot write to standard output: ${longName(first)} already does`,
    fix: "name a file",
  }));
}

/** `--csv-intervals` for csvIntervals. */
export function longName(form: string): string {
  return `--${form.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Whether standard output is taken by one of the forms. */
export function takesStdout(outputs: Partial<Outputs>): boolean {
  return FORMS.some((form) => outputs[form] === "-");
}

/** @param renderers Of every form that the command has a flag for. */
export async function writeOutputs(
  outputs: Partial<Outputs>,
  renderers: Partial<Renderers>,
): Promise<void> {
  for (const form of FORMS) {
    const path = outputs[form];
    const render = renderers[form];
    if (path === undefined || render === undefined) continue;
    const text = await render();
    if (path === "-") await print(text);
    else await writeFile(path, text);
  }
}

/** Throws a TargetError when the disk, or the reader of a pipe, does not take it. */
export async function writeFile(path: string, text: string): Promise<void> {
  try {
    const shown = secrets.form(text);
    if (isStream(path)) await appendTo(path, shown);
    else await replaceFile(path, shown);
  } catch (error) {
    throw new TargetError(`Cannot write ${path}: ${messageOf(error)}`);
  }
}

async function appendTo(path: string, text: string): Promise<void> {
  using stream = await openStream(path);
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await stream.write(bytes.subarray(at));
}
