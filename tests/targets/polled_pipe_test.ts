import assert from "node:assert/strict";
import { polledErrors } from "../../base/system/pipe.ts";

interface Printing extends AsyncDisposable {
  readonly process: Deno.ChildProcess;
  readonly polled: ReadableStream<Uint8Array>;
}

/** A shell that prints to standard error once it is told to by a line, polled each millisecond. */
function printing(script: string): Printing {
  const process = new Deno.Command("sh", {
    args: ["-c", `read go; ${script}`],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const polled = polledErrors(process.pid, 1);
  if (polled === null) throw new Error("its pipe can't be had");
  const end = async (): Promise<void> => {
    await process.stdin.close().catch(() => {}); // a test has closed it
    await process.status;
  };
  return { process, polled, [Symbol.asyncDispose]: end };
}

async function go({ process }: Printing): Promise<void> {
  await process.stderr.cancel();
  const input = process.stdin.getWriter();
  await input.write(new TextEncoder().encode("\n"));
  await input.close();
}

const options = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "a polled pipe gives all that is printed, and ends with its process",
  options,
  async () => {
    await using shell = printing("seq 200000 >&2; sleep 0.1; printf end >&2");
    await go(shell);
    const text = await new Response(shell.polled).text();
    const lines = Array.from({ length: 200_000 }, (_, at) => `${at + 1}\n`).join("");
    assert.ok(text === `${lines}end`, `${text.length} characters for ${lines.length + 3}`);
  },
);

Deno.test("who writes into a polled pipe does not wait for its reader", options, async () => {
  await using shell = printing("head -c 1000000 /dev/zero >&2");
  await go(shell);
  await shell.process.status; // nobody has read yet
  assert.equal((await new Response(shell.polled).bytes()).length, 1_000_000);
});

Deno.test("a polled pipe that nobody wants any more is closed", options, async () => {
  await using shell = printing("echo more >&2");
  await shell.polled.cancel();
  await go(shell);
  assert.notEqual((await shell.process.status).code, 0, "it could still write");
});

Deno.test("a process that has ended has no pipe to poll", options, async () => {
  const process = new Deno.Command("true", { stderr: "piped", stdout: "null" }).spawn();
  await process.status;
  await process.stderr.cancel();
  assert.equal(polledErrors(process.pid, 1), null);
});
