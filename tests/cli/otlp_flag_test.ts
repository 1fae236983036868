/** Where `--otlp` sends, and with which header fields. */
import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { collectorOf } from "./collector.ts";
import { thrown } from "../thrown.ts";

const addresses: [given: string, posted: string][] = [
  ["http://h:4318", "http://h:4318/v1/metrics"],
  ["http://h:4318/", "http://h:4318/v1/metrics"],
  ["https://h/v1/metrics", "https://h/v1/metrics"],
  ["https://h/a/b//?key=1#c", "https://h/a/b/v1/metrics?key=1"],
  ["http://[::1]:4318", "http://[::1]:4318/v1/metrics"],
  ["http://user:pass@h", "http://h/v1/metrics"],
];
for (const [given, posted] of addresses) {
  Deno.test(`metrics for ${given} are posted to ${posted}`, () => {
    assert.equal(collectorOf(given).url.href, posted);
  });
}

Deno.test("user and password of the URL are credentials, which the environment's come before", () => {
  const { headers } = collectorOf("http://user:a%20pass@h");
  assert.deepEqual(headers, [["authorization", `Basic ${btoa("user:a pass")}`]]);
  const given = collectorOf("http://user:a%20pass@h", "Authorization=Bearer%20of-a-token").headers;
  assert.equal(Object.fromEntries(given).authorization, "Bearer of-a-token");
});

const wrong: [sentence: string, url: string, headers: string | undefined, message: RegExp][] = [
  [
    "another protocol",
    "grpc://h:4317",
    undefined,
    /Cannot send metrics to "grpc:.*": write http:\/\/host:port/,
  ],
  ["no address", "collector:4318", undefined, /Cannot send metrics to "collector:4318"/],
  ["standard output", "-", undefined, /Cannot send metrics to "-"/],
  [
    "a field without a value",
    "http://h",
    "token-of-9-letters",
    /Cannot use OTEL_EXPORTER_OTLP_HEADERS/,
  ],
  ["a line break in a field", "http://h", "a=b%0d%0ac:d", /Cannot use OTEL_EXPORTER_OTLP_HEADERS/],
  [
    "a field of the framing",
    "http://h",
    "content-length=1",
    /Cannot use OTEL_EXPORTER_OTLP_HEADERS/,
  ],
  ["a field of our own", "http://h", "Content-Type=a", /Cannot use OTEL_EXPORTER_OTLP_HEADERS/],
];
for (const [sentence, url, headers, message] of wrong) {
  Deno.test(`${sentence} is refused before anything is measured`, () => {
    const error = thrown(UserError, () => collectorOf(url, headers));
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /token-of|%0d|c:d/);
  });
}
