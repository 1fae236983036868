import assert from "node:assert/strict";
import { methodSentences } from "../../report/subjects/method/method.ts";
import { resultsFixture } from "./fixture.ts";

const APP = { app: "api" };
const URL_TARGET = { url: "http://127.0.0.1:8080" };

function said(experiment: Record<string, unknown>): string[] {
  const cell = { scenario: "static", medianMs: 5, duration: 1, runs: 2 };
  const cells = [{ ...cell, target: "a" }, { ...cell, target: "b" }];
  return methodSentences(resultsFixture({ cells, experiment }));
}

Deno.test("who was asked is told by the kinds of the targets, and by where answers were proved", () => {
  const cases: [experiment: Record<string, unknown>, sentences: string[]][] = [
    [{ targets: { a: APP, b: APP } }, [
      "Every run had a fresh process of its target, which had to pass the preflight check before it was loaded.",
    ]],
    [{ targets: { a: APP, b: APP }, prove: "apart" }, [
      "Every run had a fresh process of its target; another process of it had to pass the preflight check.",
    ]],
    [{ targets: { a: APP, b: URL_TARGET } }, [
      "Every run of a had a fresh process of its target, which had to pass the preflight check before it was loaded.",
      "A target at a URL (b) is a server that ran already; it had to pass the preflight check before every run.",
    ]],
    [{ targets: { a: URL_TARGET, b: URL_TARGET, c: APP }, prove: "apart", fresh: false }, [
      "A target at a URL (a, b) is a server that ran already; it had to pass the preflight check once, before its first run.",
    ]],
  ];
  for (const [experiment, sentences] of cases) {
    assert.deepEqual(said(experiment).filter((text) => /process|server/.test(text)), sentences);
  }
});

Deno.test("requests/s of several runs are said to be their mean, as the tables have them", () => {
  const text = said({}).join(" ");
  assert.match(text, /several runs, Requests\/s is their mean/);
  assert.doesNotMatch(text, /median is given/);
});
