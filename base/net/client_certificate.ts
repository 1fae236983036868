/** Makes OpenSSL present a client certificate in TLS. */
import { cString, cStringAt, made, type OpenSsl, type Pointer } from "../system/openssl.ts";
import { certificatesIn, type ClientCertificate } from "./endpoint.ts";

const SSL_CTRL_EXTRA_CHAIN_CERT = 14;
/**
 * OpenSSL's security level for every load, whatever the system's default. It refuses keys with fewer than 112 bits of
 * security.
 */
export const SECURITY_LEVEL = 2;
/**
 * The empty passphrase, given for every key that needs one, because OpenSSL would otherwise ask for it on the terminal.
 */
const NO_PASSPHRASE = cString("");

/**
 * Makes every connection of the context present the certificate. Throws if OpenSSL refuses it, for example because its
 * key is too short.
 */
export function showCertificate(
  openssl: OpenSsl,
  context: Pointer,
  { cert, key }: ClientCertificate,
): void {
  const { tls, certificates } = openssl;
  const [own, ...chain] = certificatesIn(cert).map((pem) => certificateOf(openssl, pem));
  if (own === undefined) throw new Error("there is no client certificate");
  demand(openssl, tls.SSL_CTX_use_certificate(context, own) === 1);
  certificates.X509_free(own); // the context has its own reference
  for (const one of chain) {
    const taken = tls.SSL_CTX_add_extra_chain_cert(context, SSL_CTRL_EXTRA_CHAIN_CERT, 0n, one);
    demand(openssl, taken === 1n || Number(taken) === 1);
  }
  const secret = keyOf(openssl, key);
  demand(openssl, tls.SSL_CTX_use_PrivateKey(context, secret) === 1);
  certificates.EVP_PKEY_free(secret);
  demand(openssl, tls.SSL_CTX_check_private_key(context) === 1);
}

/** Throws if OpenSSL refuses the certificate, for example because its key is too short. */
export function checkCertificate(openssl: OpenSsl, client: ClientCertificate): void {
  const context = made(openssl.tls.SSL_CTX_new(openssl.tls.TLS_client_method()));
  try {
    openssl.tls.SSL_CTX_set_security_level(context, SECURITY_LEVEL);
    showCertificate(openssl, context, client);
  } finally {
    openssl.tls.SSL_CTX_free(context);
  }
}

function certificateOf(openssl: OpenSsl, pem: string): Pointer {
  const { certificates } = openssl;
  return readPem(openssl, pem, (bio) => certificates.PEM_read_bio_X509(bio, null, null, null));
}

function keyOf(openssl: OpenSsl, pem: string): Pointer {
  const { certificates } = openssl;
  return readPem(
    openssl,
    pem,
    (bio) => certificates.PEM_read_bio_PrivateKey(bio, null, null, NO_PASSPHRASE),
  );
}

function readPem(
  openssl: OpenSsl,
  pem: string,
  read: (bio: Pointer) => Deno.PointerValue,
): Pointer {
  const { certificates } = openssl;
  const text = new TextEncoder().encode(pem);
  const bio = made(certificates.BIO_new_mem_buf(text, text.length));
  const pointer = read(bio);
  certificates.BIO_free(bio);
  demand(openssl, pointer !== null);
  return made(pointer);
}

function demand({ certificates }: OpenSsl, isDone: boolean): void {
  if (isDone) return;
  const why = cStringAt(certificates.ERR_reason_error_string(certificates.ERR_get_error()));
  certificates.ERR_clear_error();
  throw new Error(`OpenSSL does not accept the client certificate: ${why}`);
}
