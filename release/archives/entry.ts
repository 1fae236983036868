/** The content of an archive, common to all formats. Owner and group of everything are root. */

export interface ArchiveFile {
  /** Relative path, with `/` as separator. */
  readonly path: string;
  readonly content: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

export const PROGRAM_MODE = 0o755;
export const FILE_MODE = 0o644;
export const FOLDER_MODE = 0o755;

export function textFile(path: string, text: string): ArchiveFile {
  return { path, content: new TextEncoder().encode(text), mode: FILE_MODE };
}

/** The folders that hold the paths, outer ones first. */
export function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    const names = path.split("/").slice(0, -1);
    names.forEach((_, i) => folders.add(names.slice(0, i + 1).join("/")));
  }
  return [...folders].sort();
}

/** Sorted by path, so that the same files make the same archive. */
export function inOrder(files: readonly ArchiveFile[]): ArchiveFile[] {
  return [...files].sort((a, b) => a.path < b.path ? -1 : 1);
}
