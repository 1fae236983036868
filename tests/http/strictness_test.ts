/**
 * Node's HTTP client parses with llhttp, which knows nothing of us: it must judge our tables of good and
 * bad answers as we do. Where it doesn't, the reason is here, and it must go on to differ.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { findProgram, testWith } from "../needs.ts";
import { BAD_MESSAGES } from "./bad_messages.ts";
import { GOOD } from "./good_messages.ts";

const IT_REFUSES: Readonly<Record<string, string>> = {
  "chunk extensions aren't understood":
    "It checks their grammar. They mean nothing to us; a name each, and whole quotes, are enough.",
  "trailers don't change where the answer ends":
    "It reads them as fields of the head. RFC 9110 §6.5.1: such trailers are ignored.",
  "an interim answer doesn't end the connection":
    "It takes what follows for data after the end, but the answer has not come yet.",
  "equal lengths in a list are one": "RFC 9112 §6.3, step 5, allows either; both read the same.",
  "equal lengths in two fields are one":
    "RFC 9112 §6.3, step 5, allows either; both read the same.",
};

const IT_ACCEPTS: Readonly<Record<string, string>> = {
  "HTTP/2": "It knows the version 2.0; but HTTP/2 has no status line.",
  "an empty line before the status line": "RFC 9112 §2.2 allows it before requests only.",
  "a status below 100": "RFC 9110 §15 calls it invalid, and results count by three digits.",
  "a control character in the reason phrase":
    "It passes over the phrase. RFC 9112 §4: visible characters, spaces and tabs.",
  "a colour in the reason phrase":
    "It passes over the phrase. RFC 9112 §4: visible characters, spaces and tabs.",
  "a DEL in the reason phrase":
    "It passes over the phrase. RFC 9112 §4: visible characters, spaces and tabs.",
  "an extension without a name":
    "It takes an empty name before an equals sign. RFC 9112 §7.1.1: a name is a token.",
  "interim answers for ever": "It has no limit to their number.",
};

/** Where its versions differ among themselves: not asked. */
const ITS_VERSIONS_DIFFER: Readonly<Record<string, string>> = {
  "tabs around a value don't count": "Up to 9.3.1 it refuses a tab after a length.",
  "an empty coding": "Up to 9.3.1 it reads until the close.",
};

interface Verdict {
  readonly status?: number;
  readonly body?: string;
  readonly refused?: string;
}

testWith(["node"], "llhttp judges answers as we do, but for what has a reason", async (t) => {
  const good = Object.entries(GOOD).filter(([sentence]) => !(sentence in ITS_VERSIONS_DIFFER));
  const bad = BAD_MESSAGES.filter(({ what }) => !(what in ITS_VERSIONS_DIFFER));
  const verdicts = await judge([...good.map(([, message]) => message), ...bad]);
  for (const [i, [sentence, { status = 200, body = "" }]] of good.entries()) {
    await t.step(sentence, () => {
      if (sentence in IT_REFUSES) assert.ok(verdicts[i].refused, "it accepts it by now");
      else assert.deepEqual(verdicts[i], { status, body });
    });
  }
  for (const [i, { what }] of bad.entries()) {
    const { refused } = verdicts[good.length + i];
    await t.step(what, () => {
      if (what in IT_ACCEPTS) assert.equal(refused, undefined, "it refuses it by now");
      else assert.ok(refused, "it accepts it");
    });
  }
});

/** What Node's client makes of the answers. */
async function judge(
  answers: readonly { wire: string; answersHead?: boolean }[],
): Promise<Verdict[]> {
  const client = new Deno.Command(findProgram("node") ?? "node", {
    args: [fileURLToPath(new URL("./llhttp_client.mjs", import.meta.url))],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = client.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(answers)));
  await writer.close();
  const { stdout } = await client.output();
  return JSON.parse(new TextDecoder().decode(stdout)) as Verdict[];
}
