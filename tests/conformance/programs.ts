/** Servers that are programs of their own. */
import { join } from "node:path";
import { certificates } from "../certificates.ts";

interface Started extends AsyncDisposable {
  readonly port: number;
  /** Gives what it has printed since. */
  readonly end: () => Promise<string>;
}

/** A program that prints its port first, and ends with its standard input. */
export async function started(program: string, args: readonly string[]): Promise<Started> {
  const child = new Deno.Command(program, {
    args: [...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const read = async (): Promise<boolean> => {
    const { value = "", done } = await lines.read();
    text += value;
    return !done;
  };
  while (!text.includes("\n") && await read());
  const [port] = text.split("\n");
  const ended = async (): Promise<string> => {
    await child.stdin.close();
    while (await read());
    await child.status;
    return text.slice(port.length + 1);
  };
  let output: Promise<string> | null = null;
  const end = (): Promise<string> => output ??= ended();
  return { port: Number(port), end, [Symbol.asyncDispose]: async () => void await end() };
}

/** Of a certificate that the tests' authority has signed, and of its key: their paths. */
export function certificateFiles(): string[] {
  const folder = Deno.makeTempDirSync();
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const { cert, key } = certificates().signed;
  return Object.entries({ cert, key }).map(([name, text]) => {
    const path = join(folder, name);
    Deno.writeTextFileSync(path, text);
    return path;
  });
}
