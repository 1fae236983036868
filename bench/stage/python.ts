/** Finds a Python that has a package. */
import { delimiter, join } from "node:path";

/** The first `python3` of PATH that can import `module`; null if none can. */
export function pythonWith(module: string): string | null {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "python3")).find((path) => imports(path, module)) ??
    null;
}

function imports(path: string, module: string): boolean {
  try {
    const args = ["-c", `import ${module}`];
    return new Deno.Command(path, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false; // there is no such program
  }
}
