import assert from "node:assert/strict";
import { endpointOf } from "../../base/net/endpoint.ts";
import { allowedHost, AllowList, LOOPBACK_HOSTS } from "../../runner/fleet/agent/allow.ts";

const NAMES: Record<string, readonly string[]> = {
  "localhost": ["127.0.0.1", "::1"],
  "shop.example": ["10.1.2.3"],
  "both.example": ["10.1.2.3", "192.0.2.1"],
  "rebound.example": ["127.0.0.1", "169.254.169.254"],
};

function resolve(name: string): Promise<readonly string[]> {
  return NAMES[name] ? Promise.resolve(NAMES[name]) : Promise.reject(new Error("no such name"));
}

const MAY: readonly [sentence: string, allow: readonly string[], url: string, may: boolean][] = [
  [
    "loopback by name is allowed unless another is named",
    LOOPBACK_HOSTS,
    "http://localhost:80",
    true,
  ],
  ["loopback by address, too", LOOPBACK_HOSTS, "http://127.0.0.1:80", true],
  ["every address of loopback", LOOPBACK_HOSTS, "http://127.9.9.9", true],
  ["loopback of IPv6", LOOPBACK_HOSTS, "http://[::1]:8080", true],
  ["an address as URLs may write it", LOOPBACK_HOSTS, "http://0x7f.1/", true],
  ["loopback as IPv6 maps it", LOOPBACK_HOSTS, "http://[::ffff:127.0.0.1]/", true],
  ["any interface is not loopback", LOOPBACK_HOSTS, "http://0.0.0.0/", false],
  ["another address is not", LOOPBACK_HOSTS, "http://10.1.2.3/", false],
  ["another name is not", LOOPBACK_HOSTS, "http://shop.example/", false],
  ["loopback is not, once another is named", ["shop.example"], "http://127.0.0.1/", false],
  ["a name that is named", ["shop.example"], "https://shop.example/", true],
  ["a name that is named in other letters", ["Shop.Example."], "http://SHOP.example/", true],
  ["a named name's own dot", ["shop.example"], "http://shop.example./", true],
  ["its address is not named by it", ["shop.example"], "http://10.1.2.3/", false],
  ["a name below it is not named by it", ["example"], "http://shop.example/", false],
  ["a name by its address", ["10.1.2.3"], "http://shop.example/", true],
  ["a name by its network", ["10.0.0.0/8"], "http://shop.example/", true],
  ["a name with one strange address is not", ["10.0.0.0/8"], "http://both.example/", false],
  ["nor is one that is loopback only in part", LOOPBACK_HOSTS, "http://rebound.example/", false],
  ["a name without an address is not", LOOPBACK_HOSTS, "http://nowhere.example/", false],
  ["an address in brackets", ["[fd00::1]"], "http://[fd00::1]/", true],
  ["a network of IPv6", ["fd00::/8"], "http://[fd12::3]/", true],
  ["the network's end is its end", ["10.0.0.0/31"], "http://10.0.0.2/", false],
];

for (const [sentence, hosts, url, may] of MAY) {
  Deno.test(`what an agent may load: ${sentence}`, async () => {
    const admission = await new AllowList(hosts, resolve).admit(endpointOf(new URL(url).origin));
    assert.equal("addresses" in admission, may, JSON.stringify(admission));
  });
}

Deno.test("a unix socket is loaded only where unix is allowed, whatever the host", async () => {
  const endpoint = endpointOf("http://localhost", { unixPath: "/run/shop.sock" });
  const admission = await new AllowList(LOOPBACK_HOSTS, resolve).admit(endpoint);
  assert.match(
    "refusal" in admission ? admission.refusal : "",
    /^Cannot load unix sockets: .*--allow unix/,
  );
  assert.deepEqual(await new AllowList(["unix"], resolve).admit(endpoint), { addresses: null });
});

Deno.test("a refusal says what the name is, and what to do", async () => {
  const admission = await new AllowList(["10.1.2.3"], resolve).admit(
    endpointOf("http://both.example"),
  );
  assert.deepEqual(admission, {
    refusal: "Cannot load both.example, which is 192.0.2.1: this agent may load only 10.1.2.3; " +
      "to allow more, start this agent with --allow both.example",
  });
});

Deno.test("a name is loaded at the addresses that were checked, one that is allowed by name as it is", async () => {
  const admit = (hosts: readonly string[], url: string): Promise<unknown> =>
    new AllowList(hosts, resolve).admit(endpointOf(url));
  assert.deepEqual(await admit(["10.0.0.0/8"], "http://shop.example"), { addresses: ["10.1.2.3"] });
  const both = await admit(["10.0.0.0/8", "192.0.2.0/24"], "http://both.example");
  assert.deepEqual(both, { addresses: ["10.1.2.3", "192.0.2.1"] });
  assert.deepEqual(await admit(["shop.example"], "http://shop.example"), { addresses: null });
  assert.deepEqual(await admit(["10.0.0.0/8"], "http://10.1.2.3"), { addresses: null });
});

const WRITTEN: readonly [text: string, isFit: boolean][] = [
  ["localhost", true],
  ["shop.example", true],
  ["web_1", true],
  ["10.0.0.0/8", true],
  ["::1", true],
  ["[::1]", true],
  ["fd00::/8", true],
  ["unix", true],
  ["", false],
  ["http://shop.example", false],
  ["shop.example:80", false],
  ["10.0.0.0/33", false],
  ["10.0.0.0/", false],
  ["10.0.0.256", false],
  ["*", false],
];

for (const [text, isFit] of WRITTEN) {
  Deno.test(`"${text}" is ${isFit ? "a host" : "no host"} to --allow`, () => {
    const { success, error } = allowedHost.safeParse(text);
    assert.equal(success, isFit);
    if (!isFit) assert.match(error?.issues[0].message ?? "", /^Cannot allow/);
  });
}
