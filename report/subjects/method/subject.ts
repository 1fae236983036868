/** On what and how it was measured, and how to measure the same again. */
import { group, text } from "../../blocks.ts";
import type { ReportContext, Subject } from "../subject.ts";
import { commandOf, sourceNameOf } from "./command.ts";
import { machineFacts } from "./machine.ts";
import { methodSentences } from "./method.ts";

export const method: Subject<ReportContext> = {
  id: "method",
  title: "Machine and method",
  depth: "everything",
  build: ({ results }) => {
    const { source = "" } = results;
    const name = sourceNameOf(results);
    const first = source === "" || name === ""
      ? "Run"
      : `Save the experiment below as \`${name}\`, then run`;
    return [
      { kind: "facts", facts: machineFacts(results) },
      ...methodSentences(results).map((sentence) => text("method", sentence)),
      group("Reproduce", [
        text("reproduce", `${first} \`${commandOf(results)}\``),
        { kind: "verbatim", text: source, fold: "The experiment file" },
      ]),
    ];
  },
};
