/**
 * Checks a server's certificate with OpenSSL, as strictly as the runtime does: with the same authorities, the rules of
 * webpki (RFC 5280 and the profile of the CA/Browser Forum), and the same messages. OpenSSL alone would accept some
 * certificates that are refused here: an authority's certificate used by a server, or one with a name in the subject
 * only, unless the user has named that very certificate; weak keys or signatures, old versions, and critical extensions
 * that webpki does not know.
 */
import { isIP } from "node:net";
import * as nodeTls from "node:tls";
import { cString, cStringAt, made, type OpenSsl, type Pointer } from "../system/openssl.ts";
import { handshakeFailed, notValidFor } from "./dial_error.ts";
import { certificatesIn } from "./endpoint.ts";

const X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS = 0x4;
const X509_CHECK_FLAG_NEVER_CHECK_SUBJECT = 0x20;
const X509_V_FLAG_PARTIAL_CHAIN = 0x80000n;
/**
 * Validity periods are checked in this file and not by OpenSSL, because an authority that the user names does not
 * expire (RFC 5280 §6.1.1 d).
 */
const X509_V_FLAG_NO_CHECK_TIME = 0x200000n;
/** OpenSSL's security level for at least 112 bits: RSA keys of 2,048 bits or more, and no SHA-1. */
const SECURITY_LEVEL = 2;
const MOST_INTERMEDIATES = 6;
const EXFLAG_CA = 0x10;
const XKU_SSL_SERVER = 0x1;
/** The encoded number of X.509 version 3. */
const VERSION_3 = 2;
const SUBJECT_ALT_NAME = 85;
/**
 * OpenSSL's NIDs of the critical extensions that webpki knows: key usage, subject alternative name, name constraints,
 * basic constraints, extended key usage, CRL distribution points.
 */
const KNOWN_CRITICAL = new Set([83, SUBJECT_ALT_NAME, 666, 87, 126, 103]);

const RSA = 6;
const RSA_PSS = 912;
const ELLIPTIC = 408;
const ED25519 = 1087;
/** OpenSSL's NIDs of SHA-256, SHA-384 and SHA-512. */
const DIGESTS = new Set([672, 673, 674]);
const CURVES = new Set(["prime256v1", "secp384r1", "secp521r1"]);

/** OpenSSL's error codes (X509_V_ERR_…) for a chain without a trusted authority, and for a wrong name or address. */
const UNKNOWN_ISSUER = new Set([2, 18, 19, 20, 21]);
const WRONG_NAME = new Set([62, 64]);

/** The domains to which Mozilla restricts TUBITAK, the only restricted authority in its list. */
const TURKISH = /\.(?:gov|k12|pol|mil|tsk|kep|bel|edu|org)\.tr$/i;

const LONGEST_TEXT = 4_096;

/** The authorities that the runtime trusts by default, as PEM; null if the runtime can't list them. */
export function usualAuthorities(): readonly string[] | null {
  const stores = (Deno.env.get("DENO_TLS_CA_STORE") ?? "mozilla").split(",");
  const file = Deno.env.get("DENO_CERT");
  const own = file === undefined ? [] : [Deno.readTextFileSync(file)];
  const lists = stores.map((store) => authoritiesIn(store.trim()));
  return lists.every((list) => list !== null) ? [...lists.flat(), ...own] : null;
}

function authoritiesIn(store: string): readonly string[] | null {
  if (store === "mozilla") return nodeTls.rootCertificates;
  // Deno 2.6 has no `getCACertificates`.
  const list: unknown = Reflect.get(nodeTls, "getCACertificates");
  return store === "system" && typeof list === "function" ? list("system") : null;
}

/**
 * Whether OpenSSL and the runtime read a name alike. They do if it is an IP address or a host name of letters, digits,
 * `-` and `_`.
 */
export function isUsualName(name: string): boolean {
  return isIP(name) !== 0 || /^(?!-)[\w-]{1,63}(?:\.[\w-]{1,63})*$/.test(name);
}

export class ServerTrust {
  readonly #store: Pointer;
  /** The certificates of the authorities that the user names, kept alive by OpenSSL's reference counts. */
  readonly #named: readonly Pointer[];
  /**
   * The last chain that was found trustworthy, so that it is verified only once; kept alive by OpenSSL's reference
   * counts.
   */
  #trusted: readonly Pointer[] = [];

  /**
   * @param usual PEM texts of authorities; each text may hold any number of certificates, with other text between them.
   * @param named Authorities that the user names, in the same form; one of them may be the server's own certificate.
   */
  constructor(
    private readonly openssl: OpenSsl,
    private readonly serverName: string,
    { usual, named }: { readonly usual: readonly string[]; readonly named: readonly string[] },
  ) {
    const { certificates } = openssl;
    this.#store = made(certificates.X509_STORE_new());
    for (const one of usual.flatMap((text) => this.#added(text))) certificates.X509_free(one);
    this.#named = named.flatMap((text) => this.#added(text));
    certificates.ERR_clear_error();
  }

  /** Adds the certificates of a PEM text to the trusted store. Returns them, and the caller must free them. */
  #added(text: string): Pointer[] {
    const { certificates } = this.openssl;
    return certificatesIn(text).flatMap((pem) => {
      const bytes = cString(pem);
      const bio = made(certificates.BIO_new_mem_buf(bytes, bytes.length - 1));
      const certificate = certificates.PEM_read_bio_X509(bio, null, null, null);
      certificates.BIO_free(bio);
      if (certificate === null) return [];
      if (this.#mayVouch(certificate)) certificates.X509_STORE_add_cert(this.#store, certificate);
      return [certificate];
    });
  }

  #mayVouch(authority: Pointer): boolean {
    const { certificates } = this.openssl;
    const line = new Uint8Array(LONGEST_TEXT);
    certificates.X509_NAME_oneline(
      certificates.X509_get_subject_name(authority),
      line,
      line.length,
    );
    return !/TUBITAK/.test(new TextDecoder().decode(line)) || TURKISH.test(this.serverName);
  }

  /** Why a server's chain, its own certificate first, is not trusted; null if it is trusted. */
  refusalOf(sent: Deno.PointerValue): string | null {
    const { certificates } = this.openssl;
    const chain = sent === null ? [] : this.#listOf(sent);
    if (chain.length === 0) return "the TLS handshake failed: the server sent no certificate";
    if (this.#isTrusted(chain)) return null;
    const refusal = this.#judge(chain[0], sent);
    certificates.ERR_clear_error();
    if (refusal === null) this.#remember(chain);
    return refusal;
  }

  #listOf(stack: Pointer): Pointer[] {
    const { OPENSSL_sk_num, OPENSSL_sk_value } = this.openssl.certificates;
    return Array.from(
      { length: OPENSSL_sk_num(stack) },
      (_, i) => made(OPENSSL_sk_value(stack, i)),
    );
  }

  #isTrusted(chain: readonly Pointer[]): boolean {
    const { X509_cmp } = this.openssl.certificates;
    const trusted = this.#trusted;
    return chain.length === trusted.length &&
      chain.every((one, i) => X509_cmp(one, trusted[i]) === 0 && this.#timeRefusal(one) === null);
  }

  #remember(chain: readonly Pointer[]): void {
    this.#forget();
    for (const one of chain) this.openssl.certificates.X509_up_ref(one);
    this.#trusted = chain;
  }

  #forget(): void {
    for (const one of this.#trusted) this.openssl.certificates.X509_free(one);
    this.#trusted = [];
  }

  #judge(leaf: Pointer, sent: Deno.PointerValue): string | null {
    const { certificates } = this.openssl;
    const isAuthority = (certificates.X509_get_extension_flags(leaf) & EXFLAG_CA) !== 0;
    if (isAuthority && !this.#isNamed(leaf)) return meaning("CaUsedAsEndEntity");
    const context = made(certificates.X509_STORE_CTX_new());
    try {
      certificates.X509_STORE_CTX_init(context, this.#store, leaf, sent);
      this.#demand(context, leaf);
      const isTrusted = certificates.X509_verify_cert(context) === 1;
      if (!isTrusted) return this.#refusalBy(certificates.X509_STORE_CTX_get_error(context), leaf);
      return this.#chainRefusal(
        this.#listOf(made(certificates.X509_STORE_CTX_get0_chain(context))),
      );
    } finally {
      certificates.X509_STORE_CTX_free(context);
    }
  }

  /**
   * Whether the user named the server's own certificate. It may be a CA certificate, because `openssl req -x509` makes
   * CA certificates by default.
   */
  #isNamed(leaf: Pointer): boolean {
    const { X509_cmp } = this.openssl.certificates;
    return this.#named.some((one) => X509_cmp(one, leaf) === 0);
  }

  #demand(context: Pointer, leaf: Pointer): void {
    const { certificates } = this.openssl;
    certificates.X509_STORE_CTX_set_default(context, cString("ssl_server"));
    const demands = certificates.X509_STORE_CTX_get0_param(context);
    certificates.X509_VERIFY_PARAM_set_flags(
      demands,
      X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME,
    );
    certificates.X509_VERIFY_PARAM_set_auth_level(demands, SECURITY_LEVEL);
    certificates.X509_VERIFY_PARAM_set_depth(demands, MOST_INTERMEDIATES);
    certificates.X509_VERIFY_PARAM_set_hostflags(
      demands,
      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
        (this.#isNamed(leaf) ? 0 : X509_CHECK_FLAG_NEVER_CHECK_SUBJECT),
    );
    const name = cString(this.serverName);
    const isSet = isIP(this.serverName)
      ? certificates.X509_VERIFY_PARAM_set1_ip_asc(demands, name)
      : certificates.X509_VERIFY_PARAM_set1_host(demands, name, BigInt(name.length - 1));
    if (isSet !== 1) {
      throw new Error(`OpenSSL cannot check certificates for the name "${this.serverName}"`);
    }
  }

  #refusalBy(error: number, leaf: Pointer): string {
    if (UNKNOWN_ISSUER.has(error)) {
      const isOwn = this.openssl.certificates.X509_self_signed(leaf, 1) === 1;
      return meaning(isOwn ? "SelfSigned" : "UnknownIssuer");
    }
    if (WRONG_NAME.has(error)) return this.#wrongName(leaf);
    return meaning(
      cStringAt(this.openssl.certificates.X509_verify_cert_error_string(BigInt(error))),
    );
  }

  /**
   * Checks what webpki requires: a supported key in every certificate, and a valid period and form in all certificates
   * below the trusted authority.
   */
  #chainRefusal(chain: readonly Pointer[]): string | null {
    const { certificates } = this.openssl;
    const [leaf] = chain;
    if (chain.length === 1 && certificates.X509_self_signed(leaf, 1) !== 1) {
      return meaning("UnknownIssuer"); // the user named this certificate, but it is not self-signed
    }
    for (const one of chain) {
      if (!this.#hasUsualKey(one)) {
        return meaning("the key of a certificate is of a kind that is not supported");
      }
    }
    for (const one of chain.slice(0, Math.max(1, chain.length - 1))) {
      const refusal = this.#timeRefusal(one) ?? this.#formRefusal(one);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  #timeRefusal(one: Pointer): string | null {
    const { X509_cmp_current_time, X509_get0_notAfter, X509_get0_notBefore } =
      this.openssl.certificates;
    if (X509_cmp_current_time(X509_get0_notBefore(one)) >= 0) {
      return meaning("certificate not valid yet");
    }
    return X509_cmp_current_time(X509_get0_notAfter(one)) <= 0
      ? meaning("certificate expired")
      : null;
  }

  #formRefusal(one: Pointer): string | null {
    const { certificates } = this.openssl;
    if (certificates.X509_get_version(one) !== VERSION_3) {
      return meaning("a certificate is not an X.509 certificate of version 3");
    }
    if ((certificates.X509_get_extended_key_usage(one) & XKU_SSL_SERVER) === 0) {
      return meaning("a certificate is not for servers (extendedKeyUsage)");
    }
    if (!this.#hasUsualSignature(one)) {
      return meaning("a signature is of a kind that is not supported");
    }
    for (let i = certificates.X509_get_ext_count(one) - 1; i >= 0; i--) {
      const extension = certificates.X509_get_ext(one, i);
      const kind = certificates.OBJ_obj2nid(certificates.X509_EXTENSION_get_object(extension));
      const isCritical = certificates.X509_EXTENSION_get_critical(extension) !== 0;
      if (isCritical && !KNOWN_CRITICAL.has(kind)) {
        return meaning("a certificate has an unknown critical extension");
      }
    }
    return null;
  }

  #hasUsualSignature(one: Pointer): boolean {
    const digest = new Int32Array(1);
    const key = new Int32Array(1);
    const [bits, flags] = [new Int32Array(1), new Int32Array(1)];
    this.openssl.certificates.X509_get_signature_info(one, digest, key, bits, flags);
    return key[0] === ED25519 ||
      ([RSA, RSA_PSS, ELLIPTIC].includes(key[0]) && DIGESTS.has(digest[0]));
  }

  #hasUsualKey(one: Pointer): boolean {
    const { certificates } = this.openssl;
    const key = certificates.X509_get0_pubkey(one);
    if (key === null) return false;
    const kind = certificates.EVP_PKEY_get_id(key);
    const bits = certificates.EVP_PKEY_get_bits(key);
    if (kind === RSA) return bits >= 2_048 && bits <= 8_192;
    if (kind === ED25519) return true;
    const name = new Uint8Array(64);
    const isNamed = kind === ELLIPTIC &&
      certificates.EVP_PKEY_get_group_name(key, name, 64n, new BigUint64Array(1)) === 1;
    return isNamed && CURVES.has(new TextDecoder().decode(name).split("\0", 1)[0]);
  }

  #wrongName(leaf: Pointer): string {
    return meaning(notValidFor(this.serverName, this.#namesOf(leaf)));
  }

  #namesOf(leaf: Pointer): string[] {
    const { certificates } = this.openssl;
    const at = certificates.X509_get_ext_by_NID(leaf, SUBJECT_ALT_NAME, -1);
    if (at < 0) return [];
    const bio = made(certificates.BIO_new(certificates.BIO_s_mem()));
    certificates.X509V3_EXT_print(bio, certificates.X509_get_ext(leaf, at), 0n, 0);
    const text = new Uint8Array(LONGEST_TEXT);
    const length = certificates.BIO_read(bio, text, text.length);
    certificates.BIO_free(bio);
    const list = new TextDecoder().decode(text.subarray(0, Math.max(0, length))).split(", ");
    return list.flatMap((name) => /^(?:DNS|IP Address):(.*)$/.exec(name)?.[1] ?? []);
  }

  free(): void {
    this.#forget();
    for (const one of this.#named) this.openssl.certificates.X509_free(one);
    this.openssl.certificates.X509_STORE_free(this.#store);
  }
}

function meaning(said: string): string {
  return handshakeFailed(new Error(said)).message;
}
