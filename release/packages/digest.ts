/** Checksums, in hexadecimal digits. Pure. */
import { createHash } from "node:crypto";

export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

export function sha1(content: Uint8Array): string {
  return createHash("sha1").update(content).digest("hex");
}

export function md5(content: Uint8Array): string {
  return createHash("md5").update(content).digest("hex");
}
