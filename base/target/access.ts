/**
 * The way to a server, beyond what its URL says: certificates, and a unix socket. The same in
 * experiment files and as flags.
 */
import { type FileDigest, fileDigest } from "../files.ts";

/** Certificates of authorities. In JSON they are a digest of their file. */
export class Certificates {
  constructor(readonly path: string, readonly pem: string) {}

  toJSON(): FileDigest {
    return fileDigest(this.path, this.pem);
  }
}

/** As it is written: of any type, and maybe wrong. */
interface GivenAccess {
  readonly url?: unknown;
  readonly cacert?: unknown;
  readonly unix?: unknown;
}

interface UrlConflict {
  readonly key: "cacert" | "unix";
  readonly message: string;
  readonly fix: string;
}

/** What does not go with the URL. */
export function urlConflicts({ url, cacert, unix }: GivenAccess): UrlConflict[] {
  const isSecure = /^https:/i.test(String(url));
  const conflicts: UrlConflict[] = [];
  if (cacert !== undefined && !isSecure) {
    const message = "Cannot check certificates where there are none: the URL is not https";
    conflicts.push({ key: "cacert", message, fix: "leave it out, or write https://" });
  }
  if (unix !== undefined && isSecure) {
    const message = "Cannot use TLS on a unix socket: the URL is https";
    conflicts.push({ key: "unix", message, fix: "write http://" });
  }
  return conflicts;
}
