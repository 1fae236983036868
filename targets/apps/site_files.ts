/** The site as files in a folder of their own, as a server of static files has it. */
import { join } from "node:path";
import { endInOrder } from "../launch/parent_death.ts";
import { makeTemporaryFolder } from "../launch/environment.ts";
import type { Document, Source } from "./site_content.ts";

/** Writes every document. A file is opened and read for each request; closing removes them all, as does our end. */
export async function writeFiles(documents: readonly Document[]): Promise<Source> {
  endInOrder();
  const folder = makeTemporaryFolder("plateau-site-");
  const remove = (): void => Deno.removeSync(folder, { recursive: true });
  addEventListener("unload", remove);
  const fileOf = (path: string): string => join(folder, path === "/" ? "index.html" : path);
  Deno.mkdirSync(join(folder, "images"));
  for (const { path, body } of documents) {
    const content = await body();
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    Deno.writeFileSync(fileOf(path), bytes);
  }
  return {
    async read(path): Promise<{ body: Uint8Array<ArrayBuffer>; tag: string | null }> {
      using file = await Deno.open(fileOf(path));
      const { size, mtime } = await file.stat();
      const body = new Uint8Array(size);
      for (let at = 0; at < size;) {
        const read = await file.read(body.subarray(at));
        if (read === null) throw new Error(`Cannot read ${fileOf(path)}: it became shorter`);
        at += read;
      }
      return { body, tag: tagOf(size, mtime?.getTime() ?? 0) };
    },
    close(): void {
      removeEventListener("unload", remove);
      remove();
    },
  };
}

/** As Express's static files have it: size and time of change, which prove no more than likeness. */
function tagOf(sizeBytes: number, changedMs: number): string {
  return `W/"${sizeBytes.toString(16)}-${changedMs.toString(16)}"`;
}
