/** Packages that a program needs and git ignores, so that no checkout contains them. */
import { existsSync } from "node:fs";
import { join } from "node:path";

interface Install {
  /** The file that fixes the versions. */
  readonly lock: string;
  /** The folder for the packages. */
  readonly into: string;
  readonly command: readonly string[];
}

const INSTALLS: readonly Install[] = [
  { lock: "package-lock.json", into: "node_modules", command: ["npm", "ci"] },
  {
    ...{ lock: "pnpm-lock.yaml", into: "node_modules" },
    command: ["pnpm", "install", "--frozen-lockfile"],
  },
  { lock: "yarn.lock", into: "node_modules", command: ["yarn", "install"] },
  {
    ...{ lock: "bun.lock", into: "node_modules" },
    command: ["bun", "install", "--frozen-lockfile"],
  },
  { lock: "uv.lock", into: ".venv", command: ["uv", "sync", "--frozen"] },
];

/** How the packages of a folder are installed; null if they are installed, or no file names them. */
export function missingPackages(folder: string): Install | null {
  const has = (name: string): boolean => existsSync(join(folder, name));
  return INSTALLS.find(({ lock, into }) => has(lock) && !has(into)) ?? null;
}
