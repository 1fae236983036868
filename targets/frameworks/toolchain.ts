/** What installs a framework: programs of the machine, and the steps that they take in its folder. */

export interface Toolchain {
  /** Must be on PATH; the first is the runtime. */
  readonly programs: readonly [runtime: string, ...others: string[]];
  /** Oldest version of the runtime that will do. */
  readonly oldest: readonly number[];
  /** How to get them. */
  readonly get: string;
  /** Commands in the order in which they run; a program is on PATH, or a path in the folder. */
  readonly steps: readonly (readonly [program: string, ...args: string[]])[];
}

/** Packages by package-lock.json; install scripts of packages do not run. TypeScript is then compiled. */
export const npm: Toolchain = {
  programs: ["node", "npm"],
  oldest: [20],
  get: "install Node.js 20 or later",
  steps: [
    ["npm", "ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"],
    ["npm", "run", "build", "--if-present"],
  ],
};

/** Packages by requirements.txt, in an environment of their own. */
export const pip: Toolchain = {
  programs: ["python3"],
  oldest: [3, 10],
  get: "install Python 3.10 or later, with venv",
  steps: [
    ["python3", "-m", "venv", ".venv"],
    [
      ...[".venv/bin/python", "-m", "pip", "install", "--disable-pip-version-check"] as const,
      ...["--require-hashes", "--only-binary", ":all:", "-r", "requirements.txt"],
    ],
  ],
};

/**
 * Modules by go.mod and go.sum, compiled to the program `server`. Gin is built without MsgPack, as its
 * documentation shows for servers that do not use it: most of the time would go into that.
 */
export const go: Toolchain = {
  programs: ["go"],
  oldest: [1, 21], // from there on Go gets the version that go.mod asks for
  get: "install Go 1.26 or later",
  steps: [
    ["go", "build", "-mod=readonly", "-buildvcs=false", "-tags", "nomsgpack", "-o", "server", "."],
  ],
};
