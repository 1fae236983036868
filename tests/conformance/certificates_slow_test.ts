/**
 * Which certificates are trusted: OpenSSL under the epoll driver gives the verdict of the table, and trusts none that
 * the runtime under the tcp driver does not.
 */
import assert from "node:assert/strict";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { testWith } from "../needs.ts";
import { load } from "./loading.ts";
import { type CaseFiles, CASES, Workshop } from "./odd_certificates.ts";

for (const [what, odd] of Object.entries(CASES)) {
  const { name = "localhost", isTrusted } = odd;
  const verdict = isTrusted ? "trusted" : "refused";
  testWith(["openssl", "libssl"], `a certificate with ${what} is ${verdict}`, async () => {
    using workshop = new Workshop();
    const files = workshop.filesOf(what, odd);
    await using server = await serve(files);
    const verdictOf = async (driver: DriverName): Promise<string> => {
      const tls = { serverName: name, insecure: false, caCerts: [files.authority] };
      const endpoint = { hostname: "127.0.0.1", port: server.port, tls };
      const { errors, totals } = await load({ driver }, { endpoint }, {
        requests: 1,
        connections: 1,
      });
      return errors.tls === undefined ? "trusted" : `refused: ${[...totals.reasons.keys()]}`;
    };
    const [ours, runtimes] = [await verdictOf("epoll"), await verdictOf("tcp")];
    assert.equal(ours.split(":", 1)[0], verdict, `${ours}; by the runtime ${runtimes}`);
    if (ours === "trusted") assert.equal(runtimes, "trusted");
  });
}

interface CaseServer extends AsyncDisposable {
  readonly port: number;
}

/** The server of openssl: it shows what others refuse to. */
async function serve({ cert, key, chain }: CaseFiles): Promise<CaseServer> {
  const files = ["-cert", cert, "-key", key, ...chain === null ? [] : ["-cert_chain", chain]];
  const args = ["s_server", "-accept", "127.0.0.1:0", "-www", ...files];
  const child = new Deno.Command("openssl", {
    args: [...args, "-cipher", "DEFAULT@SECLEVEL=0"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`openssl s_server has ended: ${said}`);
    said += value;
    const port = /ACCEPT \S*:(\d+)\n/.exec(said)?.[1];
    if (port === undefined) continue;
    return {
      port: Number(port),
      [Symbol.asyncDispose]: async () => {
        child.kill();
        await reader.cancel();
        await child.status;
      },
    };
  }
}
