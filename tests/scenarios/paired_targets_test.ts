import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { pairedData, pairedNames, refuseUnbuilt } from "../../scenarios/file/paired_targets.ts";

const FOLDERS = { base: "/at/base", head: "/at/head" };

Deno.test("a single target becomes base and head, each in its folder", () => {
  const data = { name: "n", targets: { api: { command: ["node", "a.js"], cwd: "app" } } };
  assert.deepEqual(pairedData(data, FOLDERS), {
    name: "n",
    targets: {
      base: { command: ["node", "a.js"], cwd: "/at/base/app" },
      head: { command: ["node", "a.js"], cwd: "/at/head/app" },
    },
    scenarios: {},
  });
});

Deno.test("references, scenarios and static files follow their side, and what is about neither goes", () => {
  const data = {
    targets: {
      api: { command: ["./api"] },
      cached: { proxy: { origin: "api", store: "memory" } },
      spread: { cluster: { of: "api", instances: 2 } },
      files: { nginx: { root: "public" } },
      other: { url: "http://127.0.0.1:1" },
    },
    scenarios: { one: { get: "/", targets: ["api"] }, all: { get: "/" } },
    claims: ["rate(api) > 1"],
    published: {},
    base: "api",
  };
  assert.deepEqual(pairedData(data, FOLDERS), {
    targets: {
      "base-api": { command: ["./api"], cwd: "/at/base" },
      "head-api": { command: ["./api"], cwd: "/at/head" },
      "base-cached": { proxy: { origin: "base-api", store: "memory" } },
      "head-cached": { proxy: { origin: "head-api", store: "memory" } },
      "base-spread": { cluster: { of: "base-api", instances: 2 } },
      "head-spread": { cluster: { of: "head-api", instances: 2 } },
      "base-files": { nginx: { root: "/at/base/public" } },
      "head-files": { nginx: { root: "/at/head/public" } },
      "base-other": { url: "http://127.0.0.1:1" },
      "head-other": { url: "http://127.0.0.1:1" },
    },
    scenarios: { one: { get: "/", targets: ["base-api", "head-api"] }, all: { get: "/" } },
  });
});

Deno.test("targets that no commit changes can't be compared by commits", () => {
  const data = { targets: { user: { app: "user" }, running: { url: "http://127.0.0.1:1" } } };
  assert.throws(() => refuseUnbuilt(data.targets), UserError);
  refuseUnbuilt({ ...data.targets, api: { command: ["node", "a.js"] } });
});

Deno.test("names of the sides are the target's, where there are several", () => {
  assert.deepEqual([...pairedNames(["only"])], [["only", { base: "base", head: "head" }]]);
  assert.deepEqual([...pairedNames(["a", "b"]).values()], [
    { base: "base-a", head: "head-a" },
    { base: "base-b", head: "head-b" },
  ]);
});
