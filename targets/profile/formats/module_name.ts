/** Short names of modules: the package and the file in it, or the end of a path. Pure. */

/** Enough of a path to know a file by. */
const SEGMENTS = 2;

/** @param url A file, as a runtime names it: an address or a path; "" for what has none. */
export function moduleOf(url: string): string {
  if (/^(?:node|ext|internal|deno):/.test(url)) return url;
  if (url.startsWith("data:")) return "data:";
  const path = decoded(url.replace(/^\w+:\/\/[^/]*/, "")).replace(/[?#].*$/, "");
  // Node's folder of packages, Deno's cache of them, Python's, and Go's with a version.
  const inPackage = /.*\/(?:node_modules|site-packages|registry\.npmjs\.org|pkg\/mod)\/(.+)$/s
    .exec(path)?.[1];
  if (inPackage !== undefined) return inPackage;
  return path.split("/").filter((part) => part !== "").slice(-SEGMENTS).join("/");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
