/**
 * Reads files that are needed to reach a server: certificates, keys and sockets. All functions throw an Error with the
 * reason if the file is unusable.
 */
import { createPrivateKey } from "node:crypto";
import { readTextSync } from "../../base/bounded_file.ts";

/**
 * Reads certificates in PEM. They are checked by making an HTTP client that trusts them, because an invalid one would
 * make every connection of the load fail.
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
 * Reads a private key in PEM. The file may also contain its certificate. Throws if the key cannot be used without a
 * passphrase.
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

/** Throws if the path is not a socket. On Windows, which can't tell, any file is accepted. */
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
