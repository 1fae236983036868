/** Which TLS a measurement used, and what its handshakes agreed on. */
import * as z from "zod";

const count = z.int().min(0);
const word = z.string().max(100);

export const tls = z.strictObject({
  by: word.describe(
    'Who did TLS: the "runtime", or the system\'s OpenSSL, such as "openssl 3.0.19"',
  ),
  handshakes: z.array(z.strictObject({
    version: word.describe("Version, such as TLSv1.3"),
    cipher: word,
    alpn: word.nullable().describe("Protocol that the server chose by ALPN; null: none"),
    full: count,
    resumed: count.describe(
      "Handshakes that resumed an earlier session; sessions are resumed only if the load has tls: resume",
    ),
  })).max(100).describe(
    "Handshakes by version, cipher and ALPN protocol; empty if the runtime does not say",
  ),
});

export type TlsUse = z.output<typeof tls>;

/** Sum over several workers, agents or runs; null if none had TLS. */
export function mergeTls(uses: readonly (TlsUse | undefined)[]): TlsUse | null {
  const known = uses.filter((use) => use !== undefined);
  if (known.length === 0) return null;
  const kinds = Map.groupBy(
    known.flatMap(({ handshakes }) => handshakes),
    ({ version, cipher, alpn }) => JSON.stringify([version, cipher, alpn]),
  );
  const handshakes = [...kinds.values()].map((same) => ({
    ...same[0],
    full: same.reduce((sum, { full }) => sum + full, 0),
    resumed: same.reduce((sum, { resumed }) => sum + resumed, 0),
  }));
  return { by: [...new Set(known.map(({ by }) => by))].join(", "), handshakes };
}
