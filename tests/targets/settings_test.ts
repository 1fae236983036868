import assert from "node:assert/strict";
import { z } from "zod";
import { durationMs } from "../../scenarios/quantity.ts";
import { onOrOff, settingIssues } from "../../targets/apps/settings.ts";
import { targetSpec } from "../../targets/spec.ts";

const SWITCHES: [given: unknown, becomes: boolean][] = [
  ["on", true],
  ["off", false],
  ["true", true],
  ["false", false],
  [true, true],
  [false, false],
];

for (const [given, becomes] of SWITCHES) {
  Deno.test(`a switch reads ${JSON.stringify(given)} as ${becomes}`, () => {
    assert.equal(onOrOff.parse(given), becomes);
  });
}

for (const given of ["ON", "yes", "", 1, null]) {
  Deno.test(`a switch does not guess what ${JSON.stringify(given)} means`, () => {
    const [issue] = onOrOff.safeParse(given).error?.issues ?? [];
    assert.equal(issue.message, "Cannot read this as a switch: write on or off");
  });
}

Deno.test("settingIssues() finds everything that is wrong, in the order of the keys", () => {
  const schema = z.strictObject({ log: onOrOff, delay: durationMs, ttl: durationMs });
  const issues = settingIssues(schema, { ttl: "soon", lgo: "on", log: "loud", delay: "10ms" });
  assert.deepEqual(issues.map(({ key }) => key), ["ttl", "lgo", "log"]);
  assert.match(issues[0].message, /^Cannot read "soon" as a duration/);
  assert.equal(
    issues[1].message,
    'Cannot set "lgo": the app\'s settings are log, delay, ttl; did you mean "log"?',
  );
});

const RIGHT: [what: string, lines: unknown][] = [
  ["an app", { app: "api" }],
  ["an app with settings as YAML has them", { app: "site", set: { cache: "on", gzip: false } }],
  ["an app with a list in a setting, which makes a factor", {
    app: "work",
    set: { maxSleepTime: ["1s", "2s"] },
  }],
  ["a command", {
    command: ["node", "server.js", "{port}"],
    env: { PORT: "{port}" },
    ready: "/static",
  }],
  ["a URL", { url: "http://127.0.0.1:8080" }],
  ["a URL with IPv6 and a slash", { url: "http://[::1]:8080/" }],
];

for (const [what, lines] of RIGHT) {
  Deno.test(`a target may be ${what}`, () => {
    assert.deepEqual(targetSpec.safeParse(lines).error, undefined);
  });
}

const WRONG: [what: string, lines: unknown, place: string, message: RegExp][] = [
  ["none of them", {}, "", /^Cannot tell what this target is: write one of app, command and url$/],
  [
    "an app with an unknown setting",
    { app: "api", set: { lgo: "on" } },
    "set.lgo",
    /settings are log; did you mean "log"\?$/,
  ],
  [
    "an app with one wrong value in a list",
    { app: "site", set: { gzip: ["on", "maybe"] } },
    "set.gzip",
    /^Cannot read this as a switch/,
  ],
  ["a URL with a path", { url: "http://a:1/path" }, "url", /^Cannot use this as a server/],
  ["a URL with a password", { url: "http://u:p@a:1" }, "url", /^Cannot use this as a server/],
  [
    "a command whose ready path is a URL",
    { command: ["x"], ready: "http://a/" },
    "ready",
    /start with \//,
  ],
];

for (const [what, lines, place, message] of WRONG) {
  Deno.test(`a target may not be ${what}`, () => {
    const [issue] = targetSpec.safeParse(lines).error?.issues ?? [];
    assert.equal(issue.path.join("."), place);
    assert.match(issue.message, message);
  });
}
