/** Spellings of addresses that an agent may not load, as a hostile job may write them. */
import assert from "node:assert/strict";
import { endpointOf } from "../../base/net/endpoint.ts";
import { AllowList, LOOPBACK_HOSTS } from "../../runner/fleet/agent/allow.ts";

/** The names that are somebody else's; all but one lead to 10.1.2.3. */
function resolve(name: string): Promise<readonly string[]> {
  return Promise.resolve([name.startsWith("metadata") ? "169.254.169.254" : "10.1.2.3"]);
}

const SPELLINGS: readonly [sentence: string, url: string][] = [
  ["decimal", "http://167838211/"],
  ["hexadecimal", "http://0xa010203/"],
  ["hexadecimal by bytes", "http://0x0a.0x01.0x02.0x03/"],
  ["octal", "http://012.01.02.03/"],
  ["in two parts", "http://10.66051/"],
  ["in three parts", "http://10.1.515/"],
  ["with the dot of the root", "http://10.1.2.3./"],
  ["with an escaped digit", "http://1%30.1.2.3/"],
  ["in wide digits", "http://１０．１．２．３/"],
  ["in a circled number, with ideographic dots", "http://⑩。1。2。3/"],
  ["as IPv6 maps it", "http://[::ffff:10.1.2.3]/"],
  ["as IPv6 maps it, in hexadecimal and in full", "http://[0:0:0:0:0:ffff:0a01:0203]/"],
  ["as IPv6 once held it", "http://[::10.1.2.3]/"],
  ["as IPv6 translates it", "http://[64:ff9b::10.1.2.3]/"],
  ["behind a user called 127.0.0.1", "http://127.0.0.1@10.1.2.3/"],
  ["before a fragment called 127.0.0.1", "http://10.1.2.3#@127.0.0.1/"],
  ["by a name that begins as loopback", "http://127.0.0.1.evil.example/"],
  ["by a name that looks like localhost", "http://lоcalhost/"],
  ["by the name of a cloud's secrets", "http://metadata.google.internal/"],
];

for (const [sentence, url] of SPELLINGS) {
  Deno.test(`an address that is not allowed is refused ${sentence}`, async () => {
    const allow = new AllowList(LOOPBACK_HOSTS, resolve);
    const admission = await allow.admit(endpointOf(new URL(url).origin));
    assert.match("refusal" in admission ? admission.refusal : "", /^Cannot load .*--allow/);
  });
}

Deno.test("19 spellings of forbidden addresses were tried", () => {
  assert.equal(new Set(SPELLINGS.map(([, url]) => url)).size, 19);
});
