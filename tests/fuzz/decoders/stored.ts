/** Responses that a proxy has stored in Redis, or may store. */
import { ageSecOf, freshForMs } from "../../../targets/gateways/proxy/rules.ts";
import { decodeResponse, encodeResponse } from "../../../targets/gateways/proxy/stores/redis.ts";
import { octetsOf, textOf } from "../../http/feed.ts";
import { type Decoder, Finding } from "../decoder.ts";

const bytesOf = (headers: [string, string][]): string =>
  textOf(encodeResponse({
    status: 200,
    headers,
    body: new TextEncoder().encode("hello"),
    keptAtMs: 1_000,
    freshUntilMs: 2_000,
  }));

export const stored: Decoder = {
  seeds: {
    samples: [
      bytesOf([["cache-control", "max-age=60, s-maxage=5"], ["age", "3"], [
        "vary",
        "accept-encoding",
      ]]),
      bytesOf([["expires", "Thu, 01 Jan 2026 00:00:00 GMT"], [
        "date",
        "Thu, 01 Jan 2026 00:00:00 GMT",
      ]]),
    ],
    words: [
      '["cache-control","no-store"],',
      "max-age=",
      "99999999999",
      '"',
      "\0\0\0\x01",
      "status",
    ],
  },
  decode: (input) => {
    const response = decodeResponse(octetsOf(input.replaceAll(/[^\0-\xff]/g, "?")));
    if (response === null) return;
    const { status, headers } = response;
    const ms = freshForMs({ status, fields: [...headers] }, 60_000, 0);
    if (Number.isNaN(ms) || ms < 0) throw new Finding(`fresh for ${ms} ms`);
    if (!(ageSecOf(headers) >= 0)) throw new Finding("no age");
  },
};
