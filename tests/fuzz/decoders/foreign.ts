/** Files of other tools: what they become is read as an experiment, too. */
import { readFileSync } from "node:fs";
import { type Files, NO_FILES } from "../../../base/files.ts";
import { importedFile } from "../../../scenarios/imports/registry.ts";
import { withEngine } from "../../../base/pattern.ts";
import type { Decoder } from "../decoder.ts";
import { planText } from "./experiment.ts";

function sample(name: string): string {
  const path = new URL(`../../scenarios/fixtures/imports/${name}`, import.meta.url);
  return readFileSync(path, "utf8");
}

/** Any table, of one row. */
const files: Files = {
  ...NO_FILES,
  rows: (_, names = ["user"]) => [Object.fromEntries(names.map((name) => [name, "x"]))],
};

function become(text: string): Promise<void> {
  return withEngine(() => {
    const foreign = importedFile(text, "a.txt", { files });
    if (foreign !== null) planText(foreign.text, files);
  });
}

export const har: Decoder = {
  seeds: { samples: [sample("visit.har")], words: ['"log"', "[", "{", "\\u0000"], isJson: true },
  decode: become,
};

export const artillery: Decoder = {
  seeds: {
    samples: [sample("shop.yml")],
    words: [
      ...["- loop:\n", "count: 1e9", "- get:\n", "{{ a }}", "over: [1, 2]", "think: 1"],
      ...["followRedirect: false", "cookie: { a: b }", "formData: { a: { fromFile: b } }", "&a "],
      "*a ",
    ],
  },
  decode: become,
};

export const k6: Decoder = {
  seeds: {
    samples: [sample("shop.k6")],
    words: [
      ...["sleep(1);", "for (let i = 0; i < 1e9; i++) ", "http.get(", "`${a}`", "...", "{", "["],
      ...["http.batch([", "function f(a) {", "f(f);", "if (!check(", "for (const a of [1, 2]) "],
      ...[".forEach((a) => ", "return ", "iterations: 9,", "res = ", "a.b = ", "try {", "await "],
    ],
  },
  decode: become,
};

export const jmeter: Decoder = {
  seeds: {
    samples: [sample("shop.jmx")],
    words: [
      ...["<hashTree>", "</hashTree>", "<LoopController/>", "${__P(a,1)}", "${${a}}", "<![CDATA["],
      "&a;",
    ],
  },
  decode: become,
};
