/** What every package says about the program. */
import config from "../deno.json" with { type: "json" };

export const VERSION: string = config.version;
export const LICENSE = "MIT";
export const SUMMARY = "Compares HTTP services by repeated measurements, with one report";
export const DESCRIPTION = `Plateau starts HTTP servers, loads them, and repeats every measurement
with a fresh process in shuffled order. It says which is faster, by how much
and how surely, and writes a report that is one file.`;
/** A placeholder, because the project has no public mailbox. */
export const MAINTAINER = "The Plateau maintainers <maintainers@plateau.invalid>";
/** The oldest version of glibc with which the program runs. */
export const GLIBC = "2.27";
