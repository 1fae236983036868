/** What a built program knows about itself: its commit, the packages that it contains, and their licences. */
import { EXIT, TargetError } from "../../base/errors.ts";
import { VERSION } from "../../base/version.ts";
import { jsonText } from "../../report/writing/json.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { print } from "../terminal/terminal.ts";

/**
 * Names of the files with the description of the build and with the licences, beside the main module of a built
 * program.
 */
export const BUILD = "build.json";
export const LICENSES = "licenses.txt";

/** A package that the program contains. */
export interface Part {
  readonly name: string;
  readonly version: string;
  /** The licence, as an SPDX expression. */
  readonly license: string;
}

export interface Build {
  /** The commit of the sources, followed by `-dirty` if files differed from it; null if there was no repository. */
  readonly commit: string | null;
  readonly parts: readonly Part[];
}

/**
 * Prints the version as one line; with --json, prints everything known about the build. Resolves with the exit code.
 */
export async function printVersion(args: readonly string[]): Promise<number> {
  if (args.includes("--json")) {
    const { deno, v8 } = Deno.version;
    const { commit, parts } = ofBuild(BUILD, (text): Build => JSON.parse(text)) ?? UNKNOWN;
    const runtime = { deno, v8, target: Deno.build.target };
    await print(jsonText({ version: VERSION, commit, runtime, parts }, 2));
  } else await print(textLines([VERSION]));
  return EXIT.done;
}

/** Prints the licences of Plateau and of everything in it. Resolves with the exit code. */
export async function printLicenses(): Promise<number> {
  const lines = ofBuild(LICENSES, (text) => text.trimEnd().split("\n"));
  if (lines === null) {
    throw new TargetError(
      "Cannot show the licences of packages when run from source: only a built program has them",
      ["Plateau's own licence is in LICENSE, and those of the packages are in Deno's cache (deno info)"],
    );
  }
  await print(textLines(lines));
  return EXIT.done;
}

/** Stands for the build if the program runs from source. */
const UNKNOWN = { commit: null, parts: null };

function ofBuild<T>(name: string, read: (text: string) => T): T | null {
  return Deno.build.standalone
    ? read(Deno.readTextFileSync(new URL(`./${name}`, import.meta.url)))
    : null;
}
