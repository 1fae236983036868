/** Files needed to reach a server: certificates, keys and sockets. All functions throw with the reason. */
import { createPrivateKey } from "node:crypto";
import { readTextSync } from "../../base/bounded_file.ts";

/**
 * Certificates as PEM, checked in the way that the load will use them, because a bad one would make every dial fail.
 */
export function certificatesAt(path: string): string {
  const text = ifThere(path, (path) => readTextSync(path, "certificates"));
  if (!text.includes("-----BEGIN CERTIFICATE-----")) {
    throw new Error("it holds no certificates in PEM format");
  }
  Deno.createHttpClient({ caCerts: [text] }).close();
  return text;
}

const PRIVATE_KEY = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[^]+?-----END \1-----\r?\n?/;

/**
 * The key as PEM, from a file that may also contain its certificate. Throws unless it can be used without a passphrase.
 */
export function privateKeyAt(path: string): string {
  const [key] = PRIVATE_KEY.exec(ifThere(path, (path) => readTextSync(path, "certificates"))) ?? [];
  if (key === undefined) throw new Error("it holds no private key in PEM format");
  if (/ENCRYPTED/.test(key)) {
    throw new Error(`it is encrypted: decrypt it with openssl pkey -in ${path}`);
  }
  try {
    createPrivateKey(key);
  } catch {
    throw new Error("it holds no private key that can be read");
  }
  return key;
}

/** Throws unless the path is a socket; does nothing where the system can't tell (Windows). */
export function checkSocket(path: string): void {
  if (ifThere(path, Deno.statSync).isSocket === false) throw new Error("it is not a socket");
}

export function ifThere<Found>(path: string, look: (path: string) => Found): Found {
  try {
    return look(path);
  } catch (error) {
    throw error instanceof Deno.errors.NotFound ? new Error(`there is no file ${path}`) : error;
  }
}
