/** The files of Plateau in a Unix system, at the places where packages install them. Pure. */
import { type ArchiveFile, PROGRAM_MODE, textFile } from "../archives/entry.ts";
import { gzip } from "../archives/gzip.ts";
import { FILE_MODE } from "../archives/entry.ts";

/** Files that accompany the program in a release, the same for every platform. */
export interface Companions {
  /** Plateau's own licence. */
  readonly license: string;
  /** The licences of all components. */
  readonly notices: string;
  /** Completion scripts of bash, zsh and fish. */
  readonly completions: Readonly<Record<"bash" | "zsh" | "fish", string>>;
  /** Text of each page by its file name, such as `plateau-bench.1`. */
  readonly manual: ReadonlyMap<string, string>;
}

/** Files with paths from the root. @param zshFolder Where the system's zsh looks for completions from packages. */
export function systemFiles(
  program: Uint8Array,
  { license, notices, completions, manual }: Companions,
  { zshFolder, licenseName }: { readonly zshFolder: string; readonly licenseName: string },
): ArchiveFile[] {
  const pages = [...manual].map(([name, text]) => ({
    path: `usr/share/man/man1/${name}.gz`,
    content: gzip(new TextEncoder().encode(text)),
    mode: FILE_MODE,
  }));
  return [
    { path: "usr/bin/plateau", content: program, mode: PROGRAM_MODE },
    textFile("usr/share/bash-completion/completions/plateau", completions.bash),
    textFile(`${zshFolder}/_plateau`, completions.zsh),
    textFile("usr/share/fish/vendor_completions.d/plateau.fish", completions.fish),
    textFile(`usr/share/doc/plateau/${licenseName}`, license),
    textFile("usr/share/doc/plateau/THIRD-PARTY-LICENSES", notices),
    ...pages,
  ];
}

/** Files of an archive that can be unpacked anywhere. */
export function portableFiles(
  name: string,
  program: Uint8Array,
  { license, notices, completions, manual }: Companions,
): ArchiveFile[] {
  return [
    { path: name, content: program, mode: PROGRAM_MODE },
    textFile("LICENSE", license),
    textFile("THIRD-PARTY-LICENSES", notices),
    textFile("completions/plateau.bash", completions.bash),
    textFile("completions/_plateau", completions.zsh),
    textFile("completions/plateau.fish", completions.fish),
    ...[...manual].map(([page, text]) => textFile(`man/man1/${page}`, text)),
  ];
}
