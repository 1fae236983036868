import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { toolDifferences } from "../../cli/output/tool_differences.ts";
import { explicitIn, withTranslated } from "../../scenarios/imports/command_lines/registry.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { measurementFixture } from "../report/fixture.ts";
import { thrown } from "../thrown.ts";

const URL = "http://127.0.0.1:8080/";
const FORM = "-H content-type: application/x-www-form-urlencoded";

/** Another tool's command line, and what `bench` is asked instead. */
const SAME: Readonly<Record<string, string>> = {
  [`wrk -t4 -c100 -d30s ${URL}`]: `${URL} -t 2s -w 4 -c 100 -d 30s`,
  [`wrk --threads 4 --connections=1k -d 2m --timeout 3 ${URL}`]: `${URL} -w 4 -c 1000 -d 2m -t 3s`,
  [`wrk ${URL}`]: `${URL} -c 10 -d 10s -w 2 -t 2s`,
  [`wrk -d 2M -H 'Host: a' ${URL}`]: `${URL} -c 10 -w 2 -t 2s -d 120s -H Host: a`,
  [`/usr/bin/wrk2 -R2k -d 30 --latency ${URL}`]: `${URL} -c 10 -w 2 -t 2s -d 30s -r 2000/s`,
  [`oha -z 30s -c 200 --disable-compression ${URL}`]: `${URL} -t 1h -d 30s -c 200 -H accept: */*`,
  [`oha --no-tui -n 10 -m POST -d hello -T text/plain --disable-keepalive ${URL}`]:
    `${URL} -c 50 -t 1h -n 10 -m post -b hello -H content-type: text/plain --no-keepalive ` +
    "-H accept: */* -H accept-encoding: gzip, compress, deflate, br",
  [`oha -q 100 -n 1k -A text/html --disable-compression ${URL}`]:
    `${URL} -c 50 -t 1h -H accept: text/html -r 100/s -d 10s`,
  [`oha -z '1m 30s' --disable-compression ${URL}`]: `${URL} -c 50 -t 1h -d 90s -H accept: */*`,
  [`hey -z 5s -c=20 -disable-keepalive -disable-compression ${URL}`]:
    `${URL} -t 20s -d 5s -c 20 --no-keepalive -H content-type: text/html`,
  [`hey -host example.org ${URL}`]:
    `${URL} -c 50 -n 200 -t 20s -H host: example.org -H content-type: text/html -H accept-encoding: gzip`,
  [`hey -n 200 -c 30 -t 0 -T text/plain -disable-compression ${URL}`]:
    `${URL} -c 30 -t 1h -H content-type: text/plain -n 180`,
  [`hey -q 5 -c 20 -n 1000 -disable-compression ${URL}`]:
    `${URL} -t 20s -c 20 -H content-type: text/html -r 100/s -d 10s`,
  [`ab -n 100 -c 5 ${URL}`]: `${URL} -t 30s -n 100 -c 5 -H accept: */* --no-keepalive`,
  [`ab -k -t 10 -n 99 -p body.json ${URL}`]:
    `${URL} -c 1 -t 30s -d 10s -m post -b @body.json -H connection: Keep-Alive ` +
    "-H content-type: text/plain -H accept: */*",
  [`autocannon ${URL}`]: `${URL} -c 10 -d 10s -t 10s -w 1 -H connection: keep-alive`,
  [`autocannon -D 100 ${URL}`]:
    `${URL} -c 10 -d 10s -t 10s -w 1 --requests-per-connection 100 -H connection: keep-alive`,
  [`autocannon -p 4 --reconnectRate 100 ${URL}`]:
    `${URL} -c 10 -d 10s -t 10s -w 1 --pipeline 4 -H connection: keep-alive`,
  [`autocannon -c 5 -a 100 -d 3 -p 4 -H a=b 127.0.0.1:8080/`]:
    `${URL} -t 10s -w 1 -c 5 -n 100 --pipeline 4 -H a: b -H connection: keep-alive`,
  [`autocannon -r 20 -s name ${URL}`]:
    `${URL} -c 10 -d 10s -t 10s -w 1 -H connection: keep-alive -r 200/s`,
  [`curl -s -X PUT '${URL}?a=1&b=2' -H 'x-y: "z"' --data '{"a":"$b"}'`]:
    `${URL}?a=1&b=2 -m put -H x-y: "z" -H accept: */* ${FORM} -b {"a":"$b"}`,
  [`curl ${URL} --json {}`]:
    `${URL} -H accept: application/json -H content-type: application/json -b {} -m post`,
  [`curl -u ada:secret -I ${URL}`]:
    `${URL} -H authorization: Basic YWRhOnNlY3JldA== -m head -H accept: */*`,
  [`curl -X POST -T a.txt ${URL}b`]: `${URL}b -m post -H accept: */* -b @a.txt`,
  [`curl -T a.txt ${URL}b -X POST`]: `${URL}b -m post -H accept: */* -b @a.txt`,
  [`curl -X GET -I ${URL}`]: `${URL} -m get -H accept: */*`,
  [`curl -I -X GET ${URL}`]: `${URL} -m get -H accept: */*`,
  [`curl ${URL} \\\n  -H 'Accept:' -H 'x-empty;' \\\n  --data-raw $'it\\'s \\u0021\\n' --compressed`]:
    `${URL} -H x-empty: -H accept-encoding: deflate, gzip, br, zstd ${FORM} -b it's !\n -m post`,
  [`curl -sG 127.0.0.1:8080/?x=1 -d a=b --data-urlencode 'q=a b&c'`]:
    `${URL}?x=1&a=b&q=a+b%26c -H accept: */*`,
  [`curl -F 'a=b c' -F 'photo=@a.png;filename=b.png' --form-string x=y ${URL}`]:
    `${URL} --form a=b c --form photo=@a.png;filename=b.png --form x=y -H accept: */* -m post`,
  [`oha --disable-compression -n 1 -m put -F a=b ${URL}`]:
    `${URL} -c 50 -t 1h -n 1 -m put --form a=b -H accept: */*`,
  [`curl -x 127.0.0.1:3128 -E a.pem --key a.key --resolve +a:80:127.0.0.9,127.0.0.1 ${URL}`]:
    `${URL} --proxy http://127.0.0.1:3128 --cert a.pem --key a.key --resolve a:80:127.0.0.9,127.0.0.1 -H accept: */*`,
  [`curl -E both.pem --cacert ca.pem ${URL}`]:
    `${URL} --cert both.pem --cacert ca.pem -H accept: */* --key both.pem`,
  [`ab -k -E both.pem ${URL}`]:
    `${URL} -c 1 -n 1 -t 30s --cert both.pem --key both.pem -H connection: Keep-Alive -H accept: */*`,
  [`autocannon --ca ca.pem --cert a.crt --key a.key ${URL}`]:
    `${URL} -c 10 -d 10s -t 10s -w 1 --cacert ca.pem --cert a.crt --key a.key -H connection: keep-alive`,
  [`curl -d a=b -d c=d ${URL}`]: `${URL} -H accept: */* ${FORM} -b a=b&c=d -m post`,
  [`curl -X POST -d '' ${URL}`]: `${URL} -m post -H accept: */* ${FORM} -b `,
  [`curl --data-raw "" -A '' -H '' ${URL}`]: `${URL} -H accept: */* ${FORM} -b  -m post`,
  [`curl ${URL} -X POST -H 'Content-Length: 0'`]: `${URL} -m post -H accept: */*`,
  [`curl -d "a\${" -H 'x: \${b}' ${URL}`]:
    `${URL} -H x: \${b} -H accept: */* ${FORM} -b a\${ -m post`,
  [`wrk -t3 -c10 ${URL}`]: `${URL} -d 10s -t 2s -w 3 -c 9`,
  [`wrk -t2 -c100 -d30s -R2000 -U ${URL}`]: `${URL} -t 2s -w 2 -c 100 -d 30s -r 2000/s`,
  [`autocannon -c 9 -d 5 --warmup [ -c 1 -d 3 ] ${URL}`]:
    `${URL} -t 10s -w 1 -c 9 -d 5s -H connection: keep-alive`,
};

for (const [line, args] of Object.entries(SAME)) {
  Deno.test(`bench takes over ${line}`, () => {
    assert.equal(withTranslated(["--like", line]).slice(0, -2).join(" "), args);
    assert.deepEqual(withTranslated([`--like=${line}`]).at(-1), `--like=${line}`);
  });
}

const PROXIES = [
  ["proxy.local", "http://proxy.local:1080"],
  ["http://a:b@proxy.local", "http://a:b@proxy.local:1080"],
  ["[::1]", "http://[::1]:1080"],
  ["http://proxy.local:80", "http://proxy.local:80"],
  ["https://proxy.local", "https://proxy.local"],
];

for (const [proxy, address] of PROXIES) {
  Deno.test(`bench goes by ${address} where curl goes by ${proxy}`, () => {
    const args = withTranslated(["--like", `curl -x ${proxy} ${URL}`]);
    assert.equal(args[args.indexOf("--proxy") + 1], address);
  });
}

const GO = `-disable-compression ${URL}`;
const HEYS = "-H content-type: text/html";
const ABS = "-H connection: Keep-Alive -H accept: */*";
const KEPT = "-H connection: keep-alive";

/** With flags of `bench` beside it. */
const BESIDE: readonly (readonly [line: string, beside: string[], args: string])[] = [
  [`wrk -d 30s ${URL}`, ["--requests", "5"], `${URL} -c 10 -w 2 -t 2s`],
  [`wrk -d 30s ${URL}`, ["-n5"], `${URL} -c 10 -w 2 -t 2s`],
  [`autocannon -p 4 ${URL}`, ["-r5/s", "-HConnection: close"], `${URL} -c 10 -d 10s -t 10s -w 1`],
  [`ab -n 100 ${URL}`, ["-d", "1s", "-c", "7"], `${URL} -t 30s -H accept: */* --no-keepalive`],
  [
    `autocannon -p 4 ${URL}`,
    ["--rate=5/s", "-H", "Connection: close"],
    `${URL} -c 10 -d 10s -t 10s -w 1`,
  ],
  // The tool's number of requests ends after as long as they take at a rate.
  [`oha --disable-compression ${URL}`, ["-r", "100/s"], `${URL} -c 50 -t 1h -H accept: */* -d 2s`],
  [`hey -n 9 -c 3 -t 0 ${GO}`, ["-r", "3/s"], `${URL} -c 3 -t 1h ${HEYS} -d 3s`],
  [`ab -k ${URL}`, ["--rate=2/s"], `${URL} -c 1 -t 30s ${ABS} -d 500ms`],
  // A rate of each connection is one of the connections that there are.
  [`hey -q 5 -c 20 -z 10s ${GO}`, ["-c", "5"], `${URL} -t 20s -d 10s ${HEYS} -r 25/s`],
  [`autocannon -r 5 ${URL}`, ["--connections=4"], `${URL} -d 10s -t 10s -w 1 ${KEPT} -r 20/s`],
  // hey's workers send the same number each, and wrk's threads have the same number of connections each.
  [`hey -t 0 ${GO}`, ["-c30"], `${URL} -t 1h ${HEYS} -n 180`],
  [`wrk -c 10 -t 2 ${URL}`, ["-w", "3"], `${URL} -d 10s -t 2s -c 9`],
  [`hey -t 0 ${GO}`, ["--phases", "1s@5/s"], `${URL} -c 50 -t 1h ${HEYS}`],
];

for (const [line, beside, args] of BESIDE) {
  Deno.test(`${beside.join(" ")} counts for more than what ${line} says`, () => {
    const like = ["--like", line, ...beside];
    assert.equal(withTranslated(like).join(" "), `${args} ${like.join(" ")}`);
  });
}

Deno.test("a number of requests beside a tool's rate ends after as long as they take", () => {
  const line = `oha -q 100 -z 10s --disable-compression ${URL}`;
  const flags = `${URL} -c 50 -t 1h -H accept: */* -r 100/s -d 5s --like ${line}`;
  for (const own of [["-n", "500"], ["-n500"], ["--requests", "500"], ["--requests=500"]]) {
    assert.equal(withTranslated([...own, "--like", line, "-k"]).join(" "), `${flags} -k`);
  }
  const both = withTranslated(["--like", line, "-n", "500", "-d", "1s"]);
  assert.deepEqual(both.slice(-4), ["-n", "500", "-d", "1s"]); // `bench` refuses them
});

Deno.test("what is told of a tool's load is only about what explicit flags leave of it", () => {
  const told = (line: string, ...own: string[]): string[] => {
    const args = withTranslated([...own, "--like", line]);
    return toolDifferences(line, measured([5], RATE), explicitIn(args))
      .filter((text) => text.startsWith("Unlike"));
  };
  assert.match(told(`wrk2 ${URL}`)[0], /runs without a rate/);
  assert.deepEqual(told(`wrk2 ${URL}`, "-r", "5/s"), []);
  assert.match(told(`ab -t 5 ${URL}`)[0], /does not end after 50000/);
  assert.deepEqual(told(`ab -t 5 ${URL}`, "--requests=9"), []);
  assert.match(told(`hey -q 5 ${URL}`)[0], /limit per connection/);
  assert.deepEqual(told(`hey -q 5 ${URL}`, "--rate", "5/s"), []);
});

const REFUSED: Readonly<Record<string, RegExp>> = {
  "wkr -c 10": /did you mean wrk\?/,
  "": /the tools are ab, autocannon, curl/,
  [`wrk --nonsense -x ${URL}`]: /--nonsense: Cannot understand this option.*\n.*-x: Cannot/,
  [`wrk --conections 5 ${URL}`]: /did you mean --connections\?/,
  "wrk -c": /-c: Cannot use this option without a value/,
  [`curl ${URL}?a=1&b=2`]: /Cannot use "&" here.*quotes/,
};

for (const [line, told] of Object.entries(REFUSED)) {
  Deno.test(`bench does not take over ${JSON.stringify(line)}`, () => {
    assert.match(thrown(UserError, () => withTranslated(["--like", line])).lines.join("\n"), told);
  });
}

const FIXTURE = measurementFixture({ target: "a", scenario: "b", medianMs: 1 });

/** 10 connections over 10 s with 1,000 answers: each is expected to ask every 100 ms. */
function measured(timesMs: readonly number[], changes: Partial<Measurement> = {}): Measurement {
  const histogram = new Histogram();
  for (const timeMs of timesMs) histogram.record(timeMs * 1_000);
  return {
    ...FIXTURE,
    load: {
      ...{ kind: "closed", connections: 10, keepAlive: true, timeout: 2_000, pipeline: 1 },
      ...{ durationS: 10, requests: null },
    },
    elapsedS: 10,
    requests: { due: 1_006, completed: 1_002, failed: 3, unfinished: 1, dropped: 0 },
    drain: { durationS: 5, completed: 2, failed: 0 },
    errors: { timeout: 2, reset: 1 },
    status: { 200: 990, 302: 10 },
    histogram: encodeHistogram(histogram.toSparse()),
    ...changes,
  };
}

const RATE: Partial<Measurement> = {
  load: {
    ...{ kind: "rate", rate: 100, durationS: 20, connections: 10, keepAlive: true, timeout: 2_000 },
    ...{ arrivals: "uniform", seed: 1 },
  },
};

const FAST = {
  ...FIXTURE.latency,
  percentiles: { ...FIXTURE.latency.percentiles, "50": 0.25 },
};

const TWO_FAILED = { due: 1_000, completed: 1_000, failed: 2, unfinished: 0, dropped: 0 };

const LEFT_OUT =
  "2 requests that timed out, 1 request that failed otherwise than by a time-out and 3 requests in flight at the end";

const TOLD: readonly (readonly [line: string, measurement: Measurement, told: RegExp[]])[] = [
  [`wrk ${URL}`, measured([50, 450, 1_050]), [
    new RegExp(`^wrk's latencies would not have included ${LEFT_OUT}$`),
    /^wrk would have added about 12 samples that were not measured, to correct/, // 450 − 100, − 200, −300: 3, and 9
  ]],
  [`wrk ${URL}`, measured([50, 2_000]), [/would not have included/]],
  [`wrk2 -R 100 ${URL}`, {
    ...measured([5], RATE),
    requests: { ...TWO_FAILED, failed: 0 },
    ...{ errors: {}, drain: undefined },
  }, [/^wrk2 sends in steps of a millisecond$/]],
  [
    `wrk2 -R 100 ${URL}`,
    {
      ...measured([5], RATE),
      elapsedS: 12,
      timeline: {
        intervalS: 5,
        points: [5, 10, 12].map((endS) => ({
          ...FIXTURE.timeline.points[0],
          endS,
          completed: 600,
        })),
      },
    },
    [/would not have included/, /first 10 s, 1,200 responses$/, /steps of a millisecond/],
  ],
  [`wrk -R 100 ${URL}`, measured([5], RATE), [
    /^wrk2's latencies would not/,
    /^wrk2 sends in steps/,
  ]],
  [`curl -H 'transfer-encoding: chunked' -d a ${URL}`, measured([50]), [
    /^Unlike curl: the body is sent with its length/,
  ]],
  [`autocannon -W [ -c 1 ] ${URL}`, measured([50]), [
    /without a warm-up/,
    /not have included/,
    /whole/,
  ]],
  [`oha -q 100 ${URL}`, measured([5], RATE), [
    new RegExp(`^oha's latencies would not have included ${LEFT_OUT}$`),
    /^oha would have followed 10 redirects, timing the two requests of each as one$/,
    /^oha measures latency from the send; here/,
  ]],
  [`oha -w -z 1s -r 0 ${URL}`, measured([5]), [/otherwise than by a time-out$/]],
  [`hey ${URL}`, { ...measured([5]), requests: { ...TWO_FAILED, completed: 1_200_000 } }, [
    /2 requests that timed out and 200,000 responses beyond its first million$/,
    /followed 10 redirects, timing the two requests of each as one$/,
  ]],
  [`ab -t 5 ${URL}`, measured([5]), [
    /^Unlike ab: the load does not end after 50000 requests/,
    /^ab would have ended at the first of 2 requests that timed out$/,
    /HTTP\/1\.0/,
    /^ab reports times in whole milliseconds$/,
  ]],
  [`ab ${URL}`, measured([5], { latency: FAST }), [
    /timed out$/,
    /HTTP\/1\.0/,
    /^ab reports times in whole milliseconds; the median here is 0\.250\u00a0ms$/,
  ]],
  [`autocannon -R 100 ${URL}`, measured([50], RATE), [
    new RegExp(LEFT_OUT),
    /^autocannon would have added about 49 samples/,
    /at the beginning of the second$/,
    /whole milliseconds$/,
  ]],
  [`autocannon -C -R 100 ${URL}`, measured([50], RATE), [
    /not have included/,
    /beginning of the second$/,
    /whole/,
  ]],
  [`curl ${URL}`, measured([50]), []],
  [`curl -L ${URL}`, measured([50]), [/10 redirects, timing the two requests of each as one$/]],
];

for (const [line, measurement, told] of TOLD) {
  Deno.test(`what ${line} would have left out is told with the measurement's own numbers`, () => {
    const sentences = toolDifferences(line, measurement);
    assert.equal(sentences.length, told.length, sentences.join("\n"));
    for (const [at, pattern] of told.entries()) assert.match(sentences[at], pattern);
  });
}
