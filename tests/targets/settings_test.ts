import assert from "node:assert/strict";
import * as z from "zod";
import { durationMs } from "../../base/quantity.ts";
import { onOrOff, settingIssues } from "../../base/target/settings.ts";
import { targetSpec } from "../../base/target/target_shape.ts";

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
    assert.equal(issue.message, "Cannot read this setting: write on or off");
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

const RIGHT: Readonly<Record<string, unknown>> = {
  "an app": { app: "api" },
  "an app with settings as YAML has them": { app: "site", set: { cache: "on", gzip: false } },
  "an app with a list in a setting, which makes a factor": {
    app: "work",
    set: { maxSleepTime: ["1s", "2s"] },
  },
  "an app with keys inside keys, and a list in them": {
    app: "user",
    set: {
      cache: "redis",
      rateLimit: { store: "redis", limit: [5, "100", "none"], window: "60s" },
    },
  },
  "a command": {
    command: ["node", "server.js", "{port}"],
    env: { PORT: "{port}" },
    ready: "/static",
  },
  "a URL": { url: "http://127.0.0.1:8080" },
  "a URL with IPv6 and a slash": { url: "http://[::1]:8080/" },
  "a URL with TLS, whatever its certificate": { url: "https://a:8443", insecure: true },
};

for (const [what, lines] of Object.entries(RIGHT)) {
  Deno.test(`a target may be ${what}`, () => {
    assert.deepEqual(targetSpec.safeParse(lines).error, undefined);
  });
}

const WRONG: Readonly<Record<string, [lines: unknown, place: string, message: RegExp]>> = {
  "none of them": [
    {},
    "",
    /^Cannot tell what kind of target this is: write one of the keys app, framework, command, url, proxy, cluster and nginx$/,
  ],
  "an app with an unknown setting": [
    { app: "api", set: { lgo: "on" } },
    "set.lgo",
    /settings are log; did you mean "log"\?$/,
  ],
  "an app with one wrong value in a list": [
    { app: "site", set: { gzip: ["on", "maybe"] } },
    "set.gzip",
    /^Cannot read this setting: write on or off$/,
  ],
  "an app with an unknown key inside a key": [
    { app: "user", set: { rateLimit: { limt: 5 } } },
    "set.rateLimit.limt",
    /^Cannot set "rateLimit.limt": .*did you mean "rateLimit.limit"\?$/,
  ],
  "an app with a wrong value in a list inside a key": [
    { app: "user", set: { rateLimit: { limit: [5, 0] } } },
    "set.rateLimit.limit",
    /^Cannot use 0: the minimum is 1$/,
  ],
  "an app with a limit that is no number": [
    { app: "user", set: { "rateLimit.limit": "many" } },
    "set.rateLimit.limit",
    /write none or a whole number$/,
  ],
  "an app with a window of part of a second": [
    { app: "user", set: { rateLimit: { window: "1500ms" } } },
    "set.rateLimit.window",
    /must be a whole number of seconds$/,
  ],
  "an app with an empty list": [
    { app: "user", set: { rateLimit: { limit: [] } } },
    "set.rateLimit.limit",
    /^Cannot use an empty list$/,
  ],
  "an app with one setting twice": [
    { app: "user", set: { rateLimit: { limit: 5 }, "rateLimit.limit": 6 } },
    "set.rateLimit.limit",
    /^Cannot set "rateLimit.limit" twice$/,
  ],
  "a URL with a path": [{ url: "http://a:1/path" }, "url", /^Cannot use this as a server/],
  "a URL with a password": [{ url: "http://u:p@a:1" }, "url", /^Cannot use this as a server/],
  "a command whose ready path is a URL": [
    { command: ["x"], ready: "http://a/" },
    "ready",
    /start with \//,
  ],
};

Deno.test("keys inside keys become settings with dots in their names", () => {
  const set = { delay: "1s", rateLimit: { limit: [5, 6], store: "memory" } };
  const spec = targetSpec.parse({ app: "user", set });
  assert.deepEqual(spec, {
    app: "user",
    set: { delay: "1s", "rateLimit.limit": [5, 6], "rateLimit.store": "memory" },
  });
});

for (const [what, [lines, place, message]] of Object.entries(WRONG)) {
  Deno.test(`a target may not be ${what}`, () => {
    const [issue] = targetSpec.safeParse(lines).error?.issues ?? [];
    assert.equal(issue.path.join("."), place);
    assert.match(issue.message, message);
  });
}
