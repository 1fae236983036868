/** Finds packages that a program needs but no checkout contains, because git ignores them. */
import { existsSync } from "node:fs";
import { join } from "node:path";

interface Install {
  readonly lock: string;
  /** The folder into which the packages are installed. */
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

/** How to install the packages of a folder; null if they are installed, or the folder has no lock file. */
export function missingPackages(folder: string): Install | null {
  const has = (name: string): boolean => existsSync(join(folder, name));
  return INSTALLS.find(({ lock, into }) => has(lock) && !has(into)) ?? null;
}
