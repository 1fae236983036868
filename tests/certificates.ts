/**
 * Certificates for the tests' own servers, made by openssl when first asked for.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** A server's, as PEM; all are for localhost and 127.0.0.1. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  /** The authority that signed `signed`, as PEM. */
  readonly authority: string;
  readonly signed: Certificate;
  /** Signed by itself, as a server's should be. */
  readonly own: Certificate;
  /** Signed by the authority; its key is of P-521. */
  readonly long: Certificate;
  /** Signed by the authority, for 127.0.0.1 as a name. */
  readonly misnamed: Certificate;
  /** Signed by itself, as openssl makes it when not told otherwise: an authority's. */
  readonly careless: Certificate;
}

const FOR_LOCALHOST = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
const NO_AUTHORITY = ["-addext", "basicConstraints=CA:FALSE"];
const NEW_KEY = keyOf("prime256v1");

function keyOf(curve: string): readonly string[] {
  return ["-newkey", "ec", "-pkeyopt", `ec_paramgen_curve:${curve}`, "-nodes"];
}

let made: Certificates | null = null;

export function certificates(): Certificates {
  return made ??= make();
}

function make(): Certificates {
  const folder = Deno.makeTempDirSync();
  const selfSign = (name: string, ...extensions: string[]): void => {
    const files = ["-keyout", `${name}.key`, "-out", `${name}.crt`];
    const line = ["req", "-x509", "-days", "2", "-subj", `/CN=${name}`, ...NEW_KEY, ...files];
    openssl(folder, [...line, ...extensions]);
  };
  const read = (file: string): string => Deno.readTextFileSync(join(folder, file));
  const certificate = (name: string): Certificate => ({
    cert: read(`${name}.crt`),
    key: read(`${name}.key`),
  });
  try {
    selfSign("authority");
    sign(folder, "signed");
    sign(folder, "long", FOR_LOCALHOST, keyOf("secp521r1"));
    sign(folder, "misnamed", ["-addext", "subjectAltName=DNS:127.0.0.1"]);
    selfSign("own", ...FOR_LOCALHOST, ...NO_AUTHORITY);
    selfSign("careless", ...FOR_LOCALHOST);
    return {
      authority: read("authority.crt"),
      signed: certificate("signed"),
      own: certificate("own"),
      long: certificate("long"),
      misnamed: certificate("misnamed"),
      careless: certificate("careless"),
    };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** `name.crt` and `name.key`, signed by the authority. */
function sign(folder: string, name: string, names = FOR_LOCALHOST, key = NEW_KEY): void {
  const request = ["-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.csr`];
  openssl(folder, ["req", ...request, ...key, ...names, ...NO_AUTHORITY]);
  const signer = ["-CA", "authority.crt", "-CAkey", "authority.key", "-CAcreateserial"];
  const files = ["-in", `${name}.csr`, "-out", `${name}.crt`];
  openssl(folder, ["x509", "-req", ...files, ...signer, "-days", "2", "-copy_extensions", "copy"]);
}

function openssl(folder: string, args: readonly string[]): void {
  execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
}
