/** A package of Debian and Ubuntu, in format 2.0 (deb(5)). Pure. */
import type { Platform } from "../platforms.ts";
import { DESCRIPTION, GLIBC, MAINTAINER, SUMMARY, VERSION } from "../product.ts";
import { ar } from "../archives/ar.ts";
import { type ArchiveFile, FILE_MODE, textFile } from "../archives/entry.ts";
import { gzip } from "../archives/gzip.ts";
import { tar } from "../archives/tar.ts";
import { md5 } from "./digest.ts";
import { type Companions, systemFiles } from "./system.ts";

export const DEB_CPU = { x64: "amd64", arm64: "arm64" } as const;

export function debName({ cpu }: Platform): string {
  return `plateau_${VERSION}_${DEB_CPU[cpu]}.deb`;
}

/** @param timeS Time of everything in the package, in seconds since 1970. */
export function deb(
  platform: Platform,
  program: Uint8Array,
  companions: Companions,
  timeS: number,
): Uint8Array {
  const files = systemFiles(program, companions, {
    zshFolder: "usr/share/zsh/vendor-completions",
    licenseName: "copyright",
  });
  const sums = files.map(({ path, content }) => `${md5(content)}  ${path}\n`);
  const control = [
    textFile("control", controlOf(platform, files)),
    textFile("md5sums", sums.join("")),
  ];
  const layout = { timeS, prefix: "./", folders: true };
  return ar([
    textFile("debian-binary", "2.0\n"),
    { path: "control.tar.gz", content: gzip(tar(control, layout)), mode: FILE_MODE },
    { path: "data.tar.gz", content: gzip(tar(files, layout)), mode: FILE_MODE },
  ], timeS);
}

function controlOf({ cpu }: Platform, files: readonly ArchiveFile[]): string {
  const kib = files.reduce((sum, { content }) => sum + Math.ceil(content.length / 1024), 0);
  return `Package: plateau
Version: ${VERSION}
Architecture: ${DEB_CPU[cpu]}
Maintainer: ${MAINTAINER}
Installed-Size: ${kib}
Depends: libc6 (>= ${GLIBC}), libgcc-s1 | libgcc1
Section: net
Priority: optional
Description: ${SUMMARY}
${DESCRIPTION.split("\n").map((line) => ` ${line}`).join("\n")}
`;
}
