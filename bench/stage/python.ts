import { delimiter, join } from "node:path";

/** The path of the first `python3` in PATH that can import `module`; null if none can. */
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
    return false; // the program does not exist
  }
}
