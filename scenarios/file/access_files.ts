/** Files by which a server is reached: certificates, keys and sockets. All throw with the reason. */
import { createPrivateKey } from "node:crypto";
import { readTextSync } from "../../base/bounded_file.ts";

/** Certificates as PEM. Tried as the load will use them: else every dial would fail. */
export function certificatesAt(path: string): string {
  const text = ifThere(path, (path) => readTextSync(path, "certificates"));
  if (!text.includes("-----BEGIN CERTIFICATE-----")) {
    throw new Error("it holds no certificates as PEM");
  }
  Deno.createHttpClient({ caCerts: [text] }).close();
  return text;
}

/** A key as PEM. Throws unless it can be used without a passphrase. */
export function privateKeyAt(path: string): string {
  const text = ifThere(path, (path) => readTextSync(path, "certificates"));
  if (/ENCRYPTED/.test(text)) {
    throw new Error(`it is encrypted: decrypt it by openssl pkey -in ${path}`);
  }
  try {
    createPrivateKey(text);
  } catch {
    throw new Error("it holds no private key as PEM");
  }
  return text;
}

/** Only where the system distinguishes sockets from files (not on Windows). */
export function checkSocket(path: string): void {
  if (ifThere(path, Deno.statSync).isSocket === false) throw new Error("it is no socket");
}

export function ifThere<Found>(path: string, look: (path: string) => Found): Found {
  try {
    return look(path);
  } catch (error) {
    throw error instanceof Deno.errors.NotFound ? new Error(`there is no file ${path}`) : error;
  }
}
