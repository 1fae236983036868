import assert from "node:assert/strict";
import type { BenchRequest } from "../../runner/measure/measure.ts";
import { benchOf, toldOf, URL_ } from "./command_line.ts";

const HERE = import.meta.dirname ?? "";
/** A file that can be read as a password. */
const PASSWORD = `${HERE}/body.txt`;

function request(...args: string[]): BenchRequest {
  return benchOf(URL_, ...args);
}

Deno.test("bench of a URL alone is 50 connections for 10 s, and checks nothing", () => {
  const { url, load, scenario, driver, intervalMs } = request();
  assert.equal(url.href, URL_);
  assert.deepEqual(load, {
    kind: "closed",
    connections: 50,
    pipeline: 1,
    keepAlive: true,
    timeout: 5_000,
    durationMs: 10_000,
    requests: null,
    workers: null,
  });
  assert.equal(
    JSON.stringify(scenario),
    '{"get":"/a?b=c","headers":{},"expect":{},"values":{},"needs":[]}',
  );
  assert.deepEqual({ driver, intervalMs }, { driver: "auto", intervalMs: 250 });
});

Deno.test("bench takes short and long flags, before and after the URL, joined and apart", () => {
  const lines = [
    ["-c", "7", "-n", "9", "-w", "2", "-t", "1s"],
    ["-c7", "-n9", "-w2", "-t1s"],
    ["--connections", "7", "--requests", "9", "--workers", "2", "--timeout", "1s"],
    ["--connections=7", "--requests=9", "--workers=2", "--timeout=1s"],
  ];
  for (const line of lines) {
    for (const args of [[URL_, ...line], [...line, URL_]]) {
      const { load } = benchOf(...args);
      assert.ok(load.kind === "closed");
      const { connections, requests, workers, timeout, durationMs } = load;
      assert.deepEqual([connections, requests, workers, timeout, durationMs], [
        7,
        9,
        2,
        1_000,
        null,
      ]);
    }
  }
});

const scenarios: [sentence: string, args: string[], part: object][] = [
  ["any method, in any case", ["-m", "PuT"], { put: "/a?b=c" }],
  ["headers, with colons in their values", ["-H", "a: b:c", "--header", "D:e"], {
    headers: { a: "b:c", D: "e" },
  }],
  ["a header given twice as a list", ["-H", "x: 1", "-H", "X: 2"], { headers: { x: "1, 2" } }],
  ["cookies given twice as cookies", ["-H", "Cookie: a=1", "-H", "cookie: b=2"], {
    headers: { Cookie: "a=1; b=2" },
  }],
  ["a body that looks like a flag", ["-b", "-c"], { body: "-c" }],
  ["a body from a file", ["-b", `@${HERE}/body.txt`], { body: "from a file\n" }],
  ["several right statuses", ["--expect-status", "200,204"], {
    expect: { status: [200, 204], body: undefined },
  }],
  ["redirects to follow", ["--follow", "3"], { follow: 3 }],
  ["the right body", ["--expect-body", "a b"], { expect: { status: undefined, body: "a b" } }],
];

for (const [sentence, args, part] of scenarios) {
  Deno.test(`bench takes ${sentence}`, () => {
    assert.deepEqual({ ...request(...args).scenario, ...part }, request(...args).scenario);
  });
}

type Mistake = [sentence: string, line: string[], told: (string | RegExp)[]];

const lines: Mistake[] = [
  ["an operand too many", ["schema", "bench", "results"], [
    '"results": Cannot use this here: plateau schema takes [FILE]',
  ]],
  ["a misspelt flag", ["bench", URL_, "--conections=5"], [
    "--conections: Cannot understand this option (did you mean --connections?)",
  ]],
  [
    "a misspelt flag whose value is not taken for an operand",
    ["bench", "--conections", "5", URL_],
    [/^--conections/],
  ],
  ["a flag of nothing known", ["list", "-z"], [
    "-z: Cannot understand this option (--help lists the options)",
  ]],
  ["a flag without its value at the end", ["bench", URL_, "-c"], [
    "-c: Cannot use this option without a value",
  ]],
  ["a word for a number", ["bench", URL_, "-c", "many"], [
    '--connections: Cannot read "many" as a whole number',
  ]],
  ["a fraction for a whole number", ["bench", URL_, "-n", "1.5"], [
    '--requests: Cannot read "1.5" as a whole number',
  ]],
  ["a number out of its range", ["bench", URL_, "-c", "0", "--pipeline", "1001"], [
    "--connections: Cannot use 0: the minimum is 1",
    "--pipeline: Cannot use 1001: the maximum is 1000",
  ]],
  ["a duration without its unit", ["bench", URL_, "-d", "10"], [
    '--duration: Cannot read "10" as a duration: write 10s',
  ]],
  ["both ends", ["bench", URL_, "-d", "1s", "-n", "1"], [
    "--requests: Cannot use both --duration and --requests (leave one out)",
  ]],
  [
    "several at once on a connection for one",
    ["bench", URL_, "--pipeline", "2", "--no-keepalive"],
    [
      "--pipeline: Cannot pipeline requests on a connection that closes after each response " +
      "(leave out --pipeline or --no-keepalive)",
    ],
  ],
  ["a file without a name", ["bench", URL_, "--json", ""], [
    "--json: Cannot write a file without a name",
  ]],
  ["a request log on standard output", ["bench", URL_, "--log", "-"], [
    "--log: Cannot write the request log to standard output: name a file",
  ]],
  ["an address without its scheme", ["bench", "localhost:8080"], [
    'URL: Cannot measure "localhost:8080": write http://localhost:8080',
  ]],
  ["a missing operand", ["bench"], [
    "URL: Cannot measure without a URL: write http://host:port/path",
  ]],
  ["threads as wrk has them", ["bench", URL_, "-t2"], [
    /^--timeout: Cannot read "2" as a time-out: write 2s for seconds, or --workers 2 for threads/,
  ]],
  ["a body of a file that is not there", ["bench", URL_, "-b", "@no-such-file"], [
    /^--body: Cannot read no-such-file as text: there is no such file; without the @, the text itself is sent/,
  ]],
  ["another scheme", ["bench", "ftp://a/"], [
    'URL: Cannot measure "ftp://a/": its protocol is ftp, not http',
  ]],
  ["a password in the address, without it", ["bench", "http://u:pa55word@a/"], [
    'URL: Cannot measure "http://u:[secret]@a/": leave out its user and password, and send an authorization header with --header',
  ]],
  ...["hunter2#pw", "hunter2/pw", "hunter2?pw", "hunter2 pw@more"].map((password): Mistake => [
    `an address with the password ${password}, by its host alone`,
    ["bench", `http://u:${password}@a:1/b`],
    [/^URL: Cannot measure "http:\/\/…@a:1\/b": (?:write|leave out)/],
  ]),
  ["an address that a shell cut off in its password", ["bench", "http://u:hunter2"], [
    'URL: Cannot measure "http://u:…": write http://host:port/path',
  ]],
  ["an authorization that is none, without it", ["bench", URL_, "-H", "cookie: a=é1\u0100"], [
    /^--header: Cannot use "\[secret\]" as a header value/,
  ]],
  ["a password without its Redis", ["agents", "--redis-password-file", PASSWORD], [
    /^--redis: Cannot reach agents without the Redis in which they are registered/,
  ]],
  ["a password for no Redis", ["run", "--redis-password-file", PASSWORD], [
    "--redis-password-file: Cannot use a password for Redis without the address of Redis " +
    "(add --redis redis://host:port, or set REDIS_URL)",
  ]],
  [
    "two passwords",
    ["run", "--redis", "redis://:pa55word@h", "--redis-password-file", PASSWORD],
    [
      "--redis-password-file: Cannot use two passwords: the address of Redis already has one " +
      "(remove the password from the address)",
    ],
  ],
  ["a file of a password that is not there", [
    ...["doctor", "--redis", "redis://h", "--redis-password-file", "no/file"],
  ], [/^--redis-password-file: Cannot read the password in no\/file: /]],
  ["a header without its colon", ["bench", URL_, "-H", "a"], [
    '--header: Cannot read "a" as a header: write "name: value"',
  ]],
  ...["authorization Bearer hunter2", "authorization=Bearer hunter2", "authorization=hunter2"].map(
    (text): Mistake => [`a header as ${text}, by its name alone`, ["bench", URL_, "-H", text], [
      '--header: Cannot read "authorization" as a header: write "name: value"',
    ]],
  ),
  ["a line break in a header", ["bench", URL_, "-H", "a: b\r\nc: d"], [
    /^--header: Cannot use "b\\r\\nc: d" as a header value/,
  ]],
  ["a body that is no text", ["bench", URL_, "-b", `@${HERE}/no_text.bin`], [
    /^--body: Cannot read .* as text/,
  ]],
  ["standard output asked for twice", ["bench", URL_, "--json", "-", "--csv", "-"], [
    "--csv: Cannot write to standard output: --json already writes there (name a file)",
  ]],
  ["an output that is a folder", ["bench", URL_, "--json", HERE], [
    /^--json: Cannot write .*: it is a folder/,
  ]],
  ["an output in a folder that is not there", ["bench", URL_, "--csv", "no/such/a.csv"], [
    /there is no folder no\/such/,
  ]],
  [
    "one file for two forms",
    ["bench", URL_, "--json", "a.x", "--csv", "no/../a.x"],
    ["--csv: Cannot write no/../a.x: it is also the file of --json (name another file)"],
  ],
  ["one file for a form and the log", ["bench", URL_, "--csv", "q.csv", "--log", "./q.csv"], [
    "--csv: Cannot write q.csv: it is also the file of --log (name another file)",
  ]],
  ["a page over the results it is made of", ["report", PASSWORD, "--html", PASSWORD], [
    /^--html: Cannot write .*: it is also the file of the results /,
  ]],
  [
    "a form over the page beside the results",
    ["report", HERE, "--markdown", `${HERE}/report.html`],
    [/^--markdown: Cannot write .*: it is also the file of the page /],
  ],
  ["outputs below a file", ["bench", URL_, "--json", `${PASSWORD}/x`, "--csv", `${PASSWORD}/y`], [
    /^--json: .* there is no folder /,
    /^--csv: .* there is no folder /,
  ]],
  ["a form over results that are compared", ["compare", PASSWORD, HERE, "--junit", PASSWORD], [
    /^--junit: Cannot write .*: it is also the file of the results /,
  ]],
  ["a form over the results of a run", ["run", "--out", "o", "--csv", "o/results.json"], [
    "--csv: Cannot write o/results.json: it is also the file of the results (name another file)",
  ]],
  ["an address of Redis that is none, without its password", ["run", "--redis", "h:secret"], [
    "--redis: Cannot read the address of Redis: write redis://host:port",
  ]],
  ["an option in the place of a value", ["bench", URL_, "--json", "--quiet"], [
    "--json: Cannot use --quiet as the value of --json: it is itself an option " +
    "(write the value after --json)",
  ]],
  ["a setting of an app given twice", ["serve", "work", "--set", "log=on", "--set", "log=off"], [
    '--set: Cannot set "log" twice',
  ]],
  ["a filter that is none, of two", ["run", "--only", "target=a", "--only", "connections=10"], [
    '--only: Cannot read "connections=10" as a filter: write target=NAME or scenario=NAME; ' +
    "to choose values of a factor, edit the file, or use --set if the file has a parameter for them",
  ]],
  ["mistakes of the command line and of the file", [
    ...["check", "tests/e2e/fixtures/wrong.yaml", "--repeat", "0", "--seed", "x"],
  ], [
    /^--repeat: /,
    /^--seed: /,
    ...["2:1: targtes", "6:31: scenarios", "7:22: load", "7:35: load"]
      .map((place) => new RegExp(`^tests/e2e/fixtures/wrong\\.yaml:${place}`)),
  ]],
  ["a filter that is none", ["run", "--only", "targets=a,b"], [
    '--only: Cannot read "targets=a" as a filter: write target=NAME',
    /^--only: Cannot read "b" as a filter: write target=NAME or scenario=NAME/,
  ]],
  ["a seed that is none", ["run", "--seed", "-1"], ["--seed: Cannot use -1: the minimum is 0"]],
  ["an app that there is not", ["serve", "apu"], [
    'APP: Cannot use "apu": the choices are api, work, user, wiki, site, streams; did you mean "api"?',
  ]],
  ["a setting without its value", ["serve", "api", "--set", "log"], [
    '--set: Cannot read "log" as a setting: write key=value',
  ]],
  ["a setting with a colon, by its name alone", ["serve", "api", "--set", "log:hunter2"], [
    '--set: Cannot read "log" as a setting: write key=value',
  ]],
  ["a setting that the app lacks", ["serve", "api", "--set", "colour=red"], [
    /^--set colour: .*log/,
  ]],
  ["a report of nothing", ["report"], ["RESULTS: Cannot render a report without results"]],
  ["a form that several results do not have", ["report", "a", "b", "--csv", "c"], [
    /^--csv: Cannot write several results/,
  ]],
  ["files that are no results, each", ["report", "no.json", `${HERE}/body.txt`], [
    /^no\.json: Cannot read/,
    /body\.txt: Cannot read/,
  ]],
  ["a file that is there", ["init", `${HERE}/body.txt`], [
    /body\.txt: Cannot overwrite an existing file/,
  ]],
];

for (const [sentence, line, told] of lines) {
  Deno.test(`a command line is told of ${sentence}`, async () => {
    const lines = await toldOf(line);
    assert.equal(lines.length, told.length, lines.join("\n"));
    for (const [at, right] of told.entries()) {
      if (typeof right === "string") assert.equal(lines[at], right);
      else assert.match(lines[at], right);
    }
  });
}

Deno.test("bench says where pauses and pages are to be had", async () => {
  const told = await toldOf(["bench", URL_, "--think", "1s", "--page=/"]);
  assert.equal(told.length, 2, told.join("\n"));
  assert.match(told[0], /^--think: Cannot use this here: a pause is a step of a flow, .*file$/);
  assert.match(told[1], /^--page: Cannot use this here: a page and its resources .*file$/);
});

Deno.test("a command line is told of all its problems at once", async () => {
  const lines = await toldOf([
    ...["bench", "nonsense", "--dration", "1s", "-c", "0", "-t", "5", "-m", "gett", "--json", "-"],
    ...["--csv", "-", "-n"],
  ]);
  assert.deepEqual(lines.map((line) => line.split(":")[0]), [
    ...["--dration", "-n", "URL", "--connections", "--timeout", "--method", "--csv"],
  ]);
});

const PASSWORD_ARGUMENT = "hunterpw";
const BASIC_ARGUMENT = btoa(`user:${PASSWORD_ARGUMENT}`);

/** Command lines that are wrong, each with a password in it. */
const withPassword: readonly (readonly string[])[] = [
  ...[
    `user:${PASSWORD_ARGUMENT}@host`,
    `USER:${PASSWORD_ARGUMENT}@host:80/a?b`,
    `//user:${PASSWORD_ARGUMENT}@host`,
    `http:/user:${PASSWORD_ARGUMENT}@host`,
    `http:user:${PASSWORD_ARGUMENT}@host`,
    `HTTP://user:${PASSWORD_ARGUMENT}@host`,
    `http://${PASSWORD_ARGUMENT}@host`,
    `http://user:${PASSWORD_ARGUMENT}@host:99999`,
    `http://user:${PASSWORD_ARGUMENT}/and?more@host`,
    `ftp://user:${PASSWORD_ARGUMENT}@host`,
    encodeURIComponent(`http://user:${PASSWORD_ARGUMENT}@host`),
    `user:hunter%70w@host`,
  ].flatMap((address) => [
    ["bench", address],
    ["bench", URL_, address],
    ["bench", URL_, "-n", "x", "--proxy", address],
    ["bench", URL_, "-n", "x", "--otlp", address],
    ["bench", URL_, "--redis", address, "--agents", "x"],
    ["bench", URL_, `--${address}`],
    ["bench", "--like", address],
    ["bench", "--like", `curl ${address} --nonsense`],
    ["bench", "--like", `wrk --${address}`],
    ["run", "quick", "--only", address],
    ["run", `quick.${address}`],
    ["serve", address],
  ]),
  ["bench", URL_, "-H", `Authorization Basic ${BASIC_ARGUMENT}`, "-H", BASIC_ARGUMENT],
  ["bench", URL_, "-n", `Basic ${BASIC_ARGUMENT}`],
  ["bench", URL_, `--hedder=Authorization: Basic ${BASIC_ARGUMENT}`],
  ["bench", "--like", `curl -H 'a: b' -H 'Authorization: Basic ${BASIC_ARGUMENT}' --more ${URL_}`],
  ["bench", "--like", `curl --user user:${PASSWORD_ARGUMENT} --proxy-${PASSWORD_ARGUMENT} ${URL_}`],
  ["bench", "--like", `ab -P user:${PASSWORD_ARGUMENT} ${URL_}`],
  ["bench", "--like", `curl -U user:${PASSWORD_ARGUMENT} -x host ${URL_} --nonsense`],
];

for (const line of withPassword) {
  Deno.test(`no password is in what is said to: ${line.join(" ")}`, async () => {
    const told = (await toldOf(line)).join("\n");
    const readings = [told, decodeURIComponent(told.replaceAll(/%(?![\dA-F]{2})/gi, "%25"))];
    for (const text of readings) {
      assert.doesNotMatch(text, new RegExp(PASSWORD_ARGUMENT, "i"));
      assert.ok(!text.includes(BASIC_ARGUMENT), text);
    }
  });
}

Deno.test("a secret that is a common word is taken out of values, and stays a word of sentences", async () => {
  const told = (await toldOf(["bench", "http://user@127.0.0.1:1", "user", "--requests", "user"]))
    .join("\n");
  assert.match(
    told,
    /^URL: Cannot measure "http:\/\/\[secret\]@127\.0\.0\.1:1": leave out its user and/m,
  );
  assert.match(told, /^--requests: Cannot read "\[secret\]" as a whole number$/m);
  assert.match(told, /^"\[secret\]": Cannot use this here: plateau bench takes <URL>$/m);
});
