/**
 * npm packages: one for each platform, with the program, and `plateau`, with the types of experiments. `plateau` has
 * the others as optional dependencies, so that npm installs the one that fits. Pure.
 */
import { TYPES_EXPORTS, typesFiles } from "../../cli/init/typings.ts";
import { type ArchiveFile, PROGRAM_MODE, textFile } from "../archives/entry.ts";
import { gzip } from "../archives/gzip.ts";
import { tar } from "../archives/tar.ts";
import { fileNameOf, type Platform } from "../platforms.ts";
import { LICENSE, SUMMARY, VERSION } from "../product.ts";
import type { Companions } from "./system.ts";

/** Top folder that npm requires in every package. */
const LAYOUT = "package/";

export const NPM_NAME = `plateau-${VERSION}.tgz`;

const SHARED = { version: VERSION, description: SUMMARY, license: LICENSE };

/** Scripts of the package `plateau`, from the folder release/npm. */
export interface NpmScripts {
  readonly launch: string;
  readonly install: string;
  readonly program: string;
}

/** The package `plateau`. @param timeS Time of everything in the package, in seconds since 1970. */
export function npmPackage(
  platforms: readonly Platform[],
  scripts: NpmScripts,
  readme: string,
  { license }: Companions,
  timeS: number,
): Uint8Array {
  const types = Object.entries(typesFiles());
  const description = {
    name: "plateau",
    ...SHARED,
    keywords: ["http", "benchmark", "load", "performance", "latency"],
    bin: { plateau: "bin/plateau" },
    exports: TYPES_EXPORTS,
    files: ["bin/plateau", "install.cjs", "program.cjs", ...types.map(([name]) => name)],
    scripts: { postinstall: "node install.cjs" },
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(
      platforms.map((platform) => [packageOf(platform), VERSION]),
    ),
  };
  return packed(
    [
      { ...textFile("bin/plateau", scripts.launch), mode: PROGRAM_MODE },
      textFile("install.cjs", scripts.install),
      textFile("program.cjs", scripts.program),
      textFile("LICENSE", license),
      textFile("README.md", readme),
      ...types.map(([name, text]) => textFile(name, text)),
    ],
    description,
    timeS,
  );
}

export function platformPackageName({ name }: Platform): string {
  return `plateau-${name}-${VERSION}.tgz`;
}

/**
 * The package with the program for one platform.
 * @param timeS Time of everything in the package, in seconds since 1970.
 */
export function platformPackage(
  platform: Platform,
  program: Uint8Array,
  { license, notices }: Companions,
  timeS: number,
): Uint8Array {
  const { os, cpu } = platform;
  const description = {
    name: packageOf(platform),
    ...SHARED,
    os: [os],
    cpu: [cpu],
    ...os === "linux" ? { libc: ["glibc"] } : {},
    preferUnplugged: true,
  };
  return packed(
    [
      { path: fileNameOf(platform), content: program, mode: PROGRAM_MODE },
      textFile("LICENSE", license),
      textFile("THIRD-PARTY-LICENSES", notices),
    ],
    description,
    timeS,
  );
}

function packageOf({ name }: Platform): string {
  return `@plateau/${name}`;
}

function packed(files: readonly ArchiveFile[], description: object, timeS: number): Uint8Array {
  const json = textFile("package.json", `${JSON.stringify(description, null, 2)}\n`);
  return gzip(tar([json, ...files], { timeS, prefix: LAYOUT }));
}
