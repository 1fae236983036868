/** `plateau doctor`: tells whether this machine is fit for measuring. */
import { EXIT } from "../../base/errors.ts";
import { counted } from "../../report/writing/words.ts";
import { BLANK, lineOf } from "../../report/render/terminal/line.ts";
import { padEnd, wrapped } from "../../report/writing/columns.ts";
import { jsonText } from "../../report/writing/json.ts";
import {
  type Style,
  type TerminalOptions,
  type TextLine,
  writtenLines,
} from "../../report/writing/terminal.ts";
import type { Written } from "../../report/writing/written.ts";
import { diagnose, type Diagnosis } from "../../runner/doctor/diagnosis.ts";
import { gatherFacts } from "../../runner/doctor/observation.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { outputConflicts, outputFlags, writeFile } from "../flags/output_flags.ts";
import { passwordConflicts, redisFlag, redisUrlOf } from "../flags/values.ts";
import { interruptible } from "../terminal/process.ts";
import { print, terminalOptions } from "../terminal/terminal.ts";

export const doctorCommand = defineCommand({
  parts: { json: outputFlags.json, ...redisFlag },
  conflicts: (given) => [...passwordConflicts(given), ...outputConflicts(given)],
  run({ json, ...named }): Promise<number> {
    return interruptible(async (signal) => {
      const diagnosis = diagnose(await gatherFacts({ redisUrl: redisUrlOf(named), signal }));
      const data = jsonText(diagnosis, 2);
      if (json !== undefined && json !== "-") await writeFile(json, data);
      await print(json === "-" ? data : renderDiagnosis(diagnosis, terminalOptions()));
      return EXIT.done;
    });
  },
});

type MachineCheck = Diagnosis["checks"][number];

const MARKS: Record<MachineCheck["verdict"], { unicode: string; ascii: string; style: Style }> = {
  ok: { unicode: "✓", ascii: "ok", style: "green" },
  advice: { unicode: "!", ascii: "!", style: "yellow" },
  unknown: { unicode: "?", ascii: "?", style: "dim" },
};

/** Widths, in columns, of the mark and of the title that begin a line. */
const MARK = 3;
const TITLE = 11;

export function renderDiagnosis(
  { checks }: Diagnosis,
  options: TerminalOptions,
): Written<"terminal"> {
  const lines = checks.flatMap((finding) => findingLines(finding, options));
  return writtenLines([...lines, BLANK, lineOf(conclusion(checks))], options);
}

function findingLines(
  { title, verdict, found, advice }: MachineCheck,
  options: TerminalOptions,
): TextLine[] {
  const { unicode, ascii, style } = MARKS[verdict];
  const mark = padEnd(options.unicode ? unicode : ascii, MARK);
  const indent = " ".repeat(MARK + TITLE);
  const width = options.width - indent.length;
  const [first, ...rest] = [found, ...advice === null ? [] : [advice]].flatMap((text) =>
    wrapped(text, width)
  );
  return [
    [{ text: mark, style }, { text: padEnd(title, TITLE) + first }],
    ...rest.map((line) => lineOf(indent + line)),
  ];
}

function conclusion(checks: readonly MachineCheck[]): string {
  const advised = checks.filter(({ verdict }) => verdict === "advice").length;
  const unknown = checks.filter(({ verdict }) => verdict === "unknown").length;
  const skipped = unknown === 0 ? "" : ` ${counted(unknown, "check")} could not be made here.`;
  return advised === 0
    ? `This machine is fit to measure on.${skipped}`
    : `${counted(advised, "check")} with advice.${skipped}`;
}
