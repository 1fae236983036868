import assert from "node:assert/strict";
import {
  parseAllowedCores,
  parseGovernors,
  parseIgnores,
  parsePorts,
  parseTurbo,
} from "../../base/system/linux.ts";
import { parseOpenFiles } from "../../base/system/open_files.ts";

const STATUS = `Name:	deno
Threads:	9
Cpus_allowed:	0f
Cpus_allowed_list:	0-2,5
Mems_allowed_list:	0
`;

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units     
Max file size             unlimited            unlimited            bytes     
Max open files            1024                 1048576              files     
Max locked memory         8388608              8388608              bytes     
`;

Deno.test("the allowed cores are those of the process's status", () => {
  assert.deepEqual(parseAllowedCores(STATUS), [0, 1, 2, 5]);
  assert.equal(parseAllowedCores("Name:	deno\n"), null);
  assert.equal(parseAllowedCores(null), null);
});

Deno.test("a signal is ignored where its bit is set, and unknown without the line", () => {
  const status = "SigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
  assert.deepEqual([1, 2, 13].map((signal) => parseIgnores(status, signal)), [true, false, true]);
  assert.equal(parseIgnores(STATUS, 1), null);
  assert.equal(parseIgnores(null, 1), null);
});

Deno.test("the governor is that of all cores, or every one that there is", () => {
  assert.equal(parseGovernors(["performance\n", "performance\n"]), "performance");
  assert.equal(parseGovernors(["schedutil\n", null, "performance\n"]), "performance, schedutil");
  assert.equal(parseGovernors([null, null]), null);
});

Deno.test("turbo is on unless Intel's driver says no_turbo or cpufreq says no boost", () => {
  const cases = [
    ["intel_pstate, on", { noTurbo: "0\n", boost: null }, true],
    ["intel_pstate, off", { noTurbo: "1\n", boost: null }, false],
    ["cpufreq, on", { noTurbo: null, boost: "1\n" }, true],
    ["cpufreq, off", { noTurbo: null, boost: "0\n" }, false],
    ["neither", { noTurbo: null, boost: null }, null],
    ["not understood", { noTurbo: null, boost: "maybe\n" }, null],
  ] as const;
  for (const [name, texts, turbo] of cases) assert.equal(parseTurbo(texts), turbo, name);
});

Deno.test("the limit on open files is the soft one", () => {
  assert.equal(parseOpenFiles(LIMITS), 1024);
  assert.equal(parseOpenFiles(LIMITS.replace("1024 ", "unlimited ")), null);
  assert.equal(parseOpenFiles(null), null);
});

Deno.test("the port range is two numbers", () => {
  assert.deepEqual(parsePorts("32768\t60999\n"), [32_768, 60_999]);
  assert.equal(parsePorts(""), null);
  assert.equal(parsePorts(null), null);
});
