/** How `bench --like` takes over what other tools send over HTTP/2. */
import assert from "node:assert/strict";
import { toolDifferences } from "../../cli/output/tool_differences.ts";
import { withTranslated } from "../../scenarios/imports/command_lines/registry.ts";
import { measurementFixture } from "../report/fixture.ts";

const HTTP = "http://127.0.0.1:8080/";
const HTTPS = "https://127.0.0.1:8443/";

const SAME: Readonly<Record<string, string>> = {
  [`oha --http2 -p 8 -c 5 -n 10 --disable-compression ${HTTP}`]:
    `${HTTP} -t 1h --http2 --pipeline 8 -c 5 -n 10 -H accept: */*`,
  [`oha --http-version 2 -n 10 --disable-compression -H 'Connection: close' ${HTTPS}`]:
    `${HTTPS} -c 50 -t 1h --http2 -n 10 -H accept: */*`,
  [`oha --http-version 1.1 -p 8 -n 10 --disable-compression ${HTTP}`]:
    `${HTTP} -c 50 -t 1h -n 10 -H accept: */*`,
  [`curl --http2-prior-knowledge ${HTTP}`]: `${HTTP} --http2 -H accept: */*`,
  [`curl --http2 --http2-prior-knowledge ${HTTPS}`]: `${HTTPS} --http2 -H accept: */*`,
  [`curl --http2 ${HTTPS}`]: `${HTTPS} -H accept: */* --http2`,
  [`curl --http2 ${HTTP}`]: `${HTTP} -H accept: */*`,
  [`hey -h2 -n 50 -disable-compression ${HTTPS}`]:
    `${HTTPS} -c 50 -t 20s -n 50 -H content-type: text/html --http2`,
  [`hey -h2 -n 50 -disable-compression ${HTTP}`]:
    `${HTTP} -c 50 -t 20s -n 50 -H content-type: text/html`,
};

for (const [line, args] of Object.entries(SAME)) {
  Deno.test(`bench takes over ${line}`, () => {
    assert.equal(withTranslated(["--like", line]).slice(0, -2).join(" "), args);
  });
}

/** With `--http2` beside it. */
const BESIDE: Readonly<Record<string, string>> = {
  [`autocannon ${HTTP}`]: `${HTTP} -c 10 -d 10s -t 10s -w 1`,
  [`ab -k -n 9 ${HTTP}`]: `${HTTP} -c 1 -t 30s -n 9 -H accept: */*`,
};

for (const [line, args] of Object.entries(BESIDE)) {
  Deno.test(`over HTTP/2 ${line} sends no field of a connection`, () => {
    const like = ["--like", line, "--http2"];
    assert.equal(withTranslated(like).join(" "), `${args} ${like.join(" ")}`);
  });
}

const NOTES: Readonly<Record<string, RegExp[]>> = {
  [`curl --http2 ${HTTP}`]: [/^Unlike curl: Plateau does not upgrade connections to HTTP\/2/],
  [`curl --http2 ${HTTPS}`]: [],
  [`curl --http3 ${HTTPS}`]: [
    /^Unlike curl: Plateau runs without a version of HTTP other than 1\.1 and 2$/,
  ],
  [`oha --http2 -p 8 ${HTTP}`]: [],
  [`oha --http-version 3 ${HTTP}`]: [
    /^Unlike oha: Plateau speaks only HTTP\/1\.1 and HTTP\/2$/,
  ],
  [`hey -h2 ${HTTPS}`]: [/^Unlike hey: the workers do not share one connection/],
  [`hey -h2 ${HTTP}`]: [],
};

for (const [line, notes] of Object.entries(NOTES)) {
  Deno.test(`the notes of ${line} say what of HTTP/2 is different`, () => {
    const measurement = measurementFixture({ target: "a", scenario: "b", medianMs: 1 });
    const told = toolDifferences(line, measurement).filter((text) => text.startsWith("Unlike"));
    assert.equal(told.length, notes.length, told.join("\n"));
    for (const [at, pattern] of notes.entries()) assert.match(told[at], pattern);
  });
}
