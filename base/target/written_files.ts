/** Files of which the experiment holds the text: where they lie, and what cannot lie beside what. */
import { z } from "zod";

/** Names of RFC 3986 between slashes, none of them . or .. */
const PATH = /^\/(?:(?!\.{1,2}(?:\/|$))[\w.~!$&'()*+,;=:@-]{1,200}(?:\/|$))*$/;

const path = z.string().regex(PATH, {
  error: ({ input }) =>
    `Cannot serve a file at ${
      JSON.stringify(input)
    }: write a path, such as /page.html, or / for the index`,
});

export const writtenFiles = z.record(path, z.string()).superRefine((texts, context) => {
  const paths = Object.keys(texts);
  if (paths.length === 0) {
    context.addIssue({ code: "custom", message: "Cannot serve no files: name one" });
  }
  for (const [at, path] of paths.entries()) {
    const colliding = paths.find((other, place) =>
      place !== at && collide(other, path, place < at)
    );
    if (colliding === undefined) continue;
    const message = `Cannot serve ${path} beside ${colliding}: they would be one file`;
    context.addIssue({ code: "custom", path: [path], message });
  }
});

/** Whether the first leaves no place for the second: it is the same file, or a file where a folder must be. */
function collide(first: string, second: string, isBefore: boolean): boolean {
  const [one, other] = [fileOf(first), fileOf(second)];
  return one === other ? isBefore : other.startsWith(`${one}/`);
}

/** The file that nginx serves for a path, relative to its folder: an index where the path ends in a slash. */
export function fileOf(path: string): string {
  return path.slice(1) + (path.endsWith("/") ? "index.html" : "");
}
