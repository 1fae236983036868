import { readFileSync } from "node:fs";
import { groupedOf, parseMeasured } from "../../../cli/results/reading.ts";
import { resultForms } from "../../../cli/output/formats.ts";
import { otlpRequests } from "../../../report/render/otlp.ts";
import { type Decoder, Finding } from "../decoder.ts";

const samples = ["results", "bench"].map((name) =>
  readFileSync(new URL(`../samples/${name}.json`, import.meta.url), "utf8")
);

export const results: Decoder = {
  seeds: {
    samples,
    words: ['"runs":', '"plateau.results/2"', "null", "[]", "{}", ",", "]", "}", '"', "1e308"],
    isJson: true,
  },
  decode: async (input) => {
    const result = parseMeasured(input, "results.json");
    if (!("runs" in result)) return groupedOf(result);
    const { html, summary, ...forms } = resultForms([result]);
    const page = await html?.() ?? "";
    otlpRequests(result);
    summary(false);
    const { csv, csvIntervals, markdown, junit, hlog } = forms;
    for (const form of [csv, csvIntervals, markdown, junit, hlog]) await form?.();
    if (/<script>[^<]*injected/.test(page)) throw new Finding("a text became part of the page");
  },
};
