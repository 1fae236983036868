/** V8's code of the program, which what starts it leaves in a folder. */
import { CODE_FOLDER, CODE_USERS } from "./loader.ts";

/** Lists of what starts once for many starts of others, or seldom: what they alone use is inflated then. */
export const SELDOM = /^seldom|-run-/;

/** Leaves in `folder` V8's code of what the program runs in what users start most. @param command Starts it. */
export async function leaveCode(
  [program, ...first]: readonly [string, ...string[]],
  folder: string,
): Promise<void> {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    return new Response("Hello, World!");
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const quick = ["run", "quick", "--duration", "100ms", "--repeat", "1"];
  const out = await Deno.makeTempDir({ dir: folder });
  for (
    const [users, ...args] of [
      ["usual", "--version"],
      ["usual", "--help"],
      ["usual", "check", "kuffel-walter"],
      ["usual", "bench", url, "-d", "300ms"],
      ["usual", "supervise", "--", "true"],
      ["usual", ...quick, "--only", "scenario=static", "--out", out],
      ["seldom", "report", out],
      ["seldom", ...quick, "--only", "scenario=redis", "--out", `${out}-redis`],
    ]
  ) {
    // What one of them cannot do on this machine leaves no code, and the program starts without it.
    await new Deno.Command(program, {
      args: [...first, ...args],
      cwd: folder,
      env: { [CODE_FOLDER]: folder, [CODE_USERS]: users },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn().status;
  }
}
