/** The image's Dockerfile, read as far as tests look at it. */
import { readFileSync } from "node:fs";

const read = (name: string): string =>
  readFileSync(new URL(`../../deploy/${name}`, import.meta.url), "utf8");

export const DOCKERFILE = read("Dockerfile");

/** The one value of an instruction in the last stage. */
export function instruction(name: string): string {
  const stage = DOCKERFILE.slice(DOCKERFILE.lastIndexOf("\nFROM "));
  const found = [...stage.matchAll(new RegExp(`^${name} (.*)$`, "gm"))];
  if (found.length !== 1) throw new Error(`Cannot tell what ${name} is: ${found.length} lines`);
  return found[0][1];
}

/** Whether a path is left out of what the image is built from. */
export function readIgnored(): (path: string) => boolean {
  const [everything, ...but] = read("Dockerfile.dockerignore").split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (everything !== "*" || but.some((line) => !/^![\w.]+$/.test(line))) {
    throw new Error("Cannot read this: it takes everything out, and some names in again");
  }
  return (path) => !but.includes(`!${path.split("/")[0]}`);
}
