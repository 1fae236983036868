/** Outputs of the audit tools as they were recorded, with advisories that are made up. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  denoFindings,
  exitCodeOf,
  type Findings,
  goFindings,
  linesOf,
  nothing,
  npmFindings,
  pipFindings,
  type Printed,
} from "./findings.ts";

function recorded(name: string): string {
  return readFileSync(join(import.meta.dirname ?? "", "recorded", `${name}.txt`), "utf8");
}

function printed(code: number, stdout: string, stderr = ""): Printed {
  return { code, stdout, stderr };
}

const CLEAN: Findings = { holes: [], milder: 0, unknown: null };

const NO_HOST =
  'govulncheck: fetching vulnerabilities: Get "https://advisories.example/index/modules.json.gz": ' +
  "dial tcp: lookup advisories.example: no such host\n";
const UNREACHED =
  "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='advisories.example')";

const CASES: Readonly<Record<string, readonly [found: Findings, expected: Findings]>> = {
  "deno audit without a hole": [denoFindings(printed(0, recorded("deno_clean"))), CLEAN],
  "deno audit with a high and a moderate hole": [denoFindings(printed(1, recorded("deno_holes"))), {
    holes: ["hono: hono lets requests through"],
    milder: 1,
    unknown: null,
  }],
  "deno audit offline": [denoFindings(printed(1, "", recorded("deno_offline"))), {
    ...CLEAN,
    unknown: "error: error sending request for url " +
      "(https://registry.example/-/npm/v1/security/advisories/bulk): client error (Connect): " +
      "invalid peer certificate: UnknownIssuer",
  }],
  "npm audit without a hole": [npmFindings(printed(0, recorded("npm_clean"))), CLEAN],
  "npm audit with a hole of each severity, which affect others": [
    npmFindings(printed(1, recorded("npm_holes"))),
    { holes: ["send: send lets requests through"], milder: 1, unknown: null },
  ],
  "npm audit at a registry that refuses": [npmFindings(printed(1, recorded("npm_refused"))), {
    ...CLEAN,
    unknown: "405 Method Not Allowed - POST " +
      "https://registry.example/-/npm/v1/security/advisories/bulk",
  }],
  "pip-audit with a hole": [pipFindings(printed(1, recorded("pip_audit_holes"))), {
    holes: ["flask 3.1.3: PYSEC-0000-1, fixed in 3.1.4"],
    milder: 0,
    unknown: null,
  }],
  "pip-audit that skips all and calls it success": [
    pipFindings(printed(0, recorded("pip_audit_skipped"), "No known vulnerabilities found\n")),
    {
      ...CLEAN,
      unknown: "3 of 3 packages were not looked up: " +
        "Dependency not found on PyPI and could not be audited: blinker (1.9.0)",
    },
  ],
  "pip-audit offline": [pipFindings(printed(1, "", `Traceback\n${UNREACHED}\n`)), {
    ...CLEAN,
    unknown: UNREACHED,
  }],
  "govulncheck with a hole": [goFindings(printed(0, recorded("govulncheck_holes"))), {
    holes: ["github.com/gin-gonic/gin v1.12.0: GO-0000-0001, fixed in v1.99.0"],
    milder: 0,
    unknown: null,
  }],
  "govulncheck without a hole": [
    goFindings(printed(0, recorded("govulncheck_holes").split('{\n  "osv"')[0])),
    CLEAN,
  ],
  "govulncheck offline": [goFindings(printed(1, recorded("govulncheck_holes"), NO_HOST)), {
    ...CLEAN,
    unknown: NO_HOST.trim(),
  }],
  "a tool that prints nothing": [goFindings(printed(0, "")), {
    ...CLEAN,
    unknown: "it printed nothing",
  }],
};

for (const [sentence, [found, expected]] of Object.entries(CASES)) {
  Deno.test(`the findings of ${sentence}`, () => assert.deepEqual(found, expected));
}

Deno.test("what could not be checked is never called free of holes", () => {
  const unknown = { ...CLEAN, unknown: "no network" };
  assert.deepEqual(linesOf("gin (govulncheck)", unknown), [
    "Could not check gin (govulncheck): no network",
  ]);
  assert.deepEqual(linesOf("gin (govulncheck)", { ...CLEAN, milder: 2 }), [
    "gin (govulncheck): no known hole of severity high or more, 2 of lower severity",
  ]);
  assert.deepEqual(linesOf("flask (pip-audit)", { ...unknown, holes: ["flask: GHSA"] }), [
    "flask (pip-audit): 1 known",
    "  flask: GHSA",
    "Could not check flask (pip-audit): no network",
  ]);
});

Deno.test("an audit that could look nothing up does not end as one that found no hole", () => {
  const clean = { holes: [], milder: 2, unknown: null };
  const hole = { holes: ["a: b"], milder: 0, unknown: "some were not looked up" };
  assert.equal(exitCodeOf([nothing("no network"), nothing("npm is not here")]), 3);
  assert.equal(exitCodeOf([]), 3);
  assert.equal(exitCodeOf([clean, nothing("no network")]), 0);
  assert.equal(exitCodeOf([clean, hole]), 1);
  assert.equal(exitCodeOf([hole]), 1);
});
