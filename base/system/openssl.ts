/**
 * The calls of the system's OpenSSL 3 that Plateau makes, by Deno's FFI: TLS on a socket, and the reading of
 * certificates. Looked up once in each isolate, when TLS is first used; throws if there is no OpenSSL 3.
 */
import type { LibrarySymbols } from "./libc.ts";

const POINTER_TO_INT = { parameters: ["pointer"], result: "i32" } as const;
const POINTER_TO_POINTER = { parameters: ["pointer"], result: "pointer" } as const;
const TO_POINTER = { parameters: [], result: "pointer" } as const;
const FREE = { parameters: ["pointer"], result: "void" } as const;
const TRANSFER = { parameters: ["pointer", "buffer", "i32"], result: "i32" } as const;
const SET_TEXT = { parameters: ["pointer", "buffer"], result: "i32" } as const;
const USE = { parameters: ["pointer", "pointer"], result: "i32" } as const;
const SET_NUMBER = { parameters: ["pointer", "i32"], result: "void" } as const;

const TLS_SYMBOLS = {
  OPENSSL_init_ssl: { parameters: ["u64", "pointer"], result: "i32" },
  TLS_client_method: TO_POINTER,
  SSL_CTX_new: POINTER_TO_POINTER,
  SSL_CTX_use_certificate: USE,
  SSL_CTX_use_PrivateKey: USE,
  SSL_CTX_check_private_key: POINTER_TO_INT,
  SSL_CTX_add_extra_chain_cert: {
    name: "SSL_CTX_ctrl",
    parameters: ["pointer", "i32", "i64", "pointer"],
    result: "i64",
  },
  SSL_CTX_free: FREE,
  SSL_CTX_ctrl: { parameters: ["pointer", "i32", "i64", "buffer"], result: "i64" },
  SSL_CTX_set_options: { parameters: ["pointer", "u64"], result: "u64" },
  SSL_CTX_set_security_level: SET_NUMBER,
  SSL_CTX_set_cipher_list: SET_TEXT,
  SSL_CTX_set_ciphersuites: SET_TEXT,
  SSL_CTX_set_alpn_protos: { parameters: ["pointer", "buffer", "u32"], result: "i32" },
  SSL_new: POINTER_TO_POINTER,
  SSL_free: FREE,
  SSL_clear: POINTER_TO_INT,
  SSL_get1_session: POINTER_TO_POINTER,
  SSL_SESSION_is_resumable: POINTER_TO_INT,
  SSL_SESSION_free: FREE,
  SSL_set_session: { parameters: ["pointer", "pointer"], result: "i32" },
  SSL_ctrl: { parameters: ["pointer", "i32", "i64", "buffer"], result: "i64" },
  SSL_set_fd: { parameters: ["pointer", "i32"], result: "i32" },
  SSL_connect: POINTER_TO_INT,
  SSL_read: TRANSFER,
  SSL_write: TRANSFER,
  SSL_has_pending: POINTER_TO_INT,
  SSL_shutdown: POINTER_TO_INT,
  SSL_get_error: { parameters: ["pointer", "i32"], result: "i32" },
  SSL_session_reused: POINTER_TO_INT,
  SSL_version: POINTER_TO_INT,
  SSL_get_version: POINTER_TO_POINTER,
  SSL_get_current_cipher: POINTER_TO_POINTER,
  SSL_CIPHER_get_protocol_id: { parameters: ["pointer"], result: "u16" },
  SSL_CIPHER_get_name: POINTER_TO_POINTER,
  SSL_get0_alpn_selected: { parameters: ["pointer", "buffer", "buffer"], result: "void" },
  SSL_get_peer_cert_chain: POINTER_TO_POINTER,
} as const satisfies Deno.ForeignLibraryInterface;

const CERTIFICATE_SYMBOLS = {
  OpenSSL_version_num: { parameters: [], result: "u32" },
  OpenSSL_version: { parameters: ["i32"], result: "pointer" },
  ERR_get_error: { parameters: [], result: "u64" },
  ERR_clear_error: { parameters: [], result: "void" },
  CRYPTO_memcmp: { parameters: ["pointer", "buffer", "u32"], result: "i32" },
  ERR_reason_error_string: { parameters: ["u64"], result: "pointer" },
  BIO_s_mem: TO_POINTER,
  BIO_new: POINTER_TO_POINTER,
  BIO_new_mem_buf: { parameters: ["buffer", "i32"], result: "pointer" },
  BIO_read: TRANSFER,
  BIO_free: POINTER_TO_INT,
  PEM_read_bio_X509: {
    parameters: ["pointer", "pointer", "pointer", "pointer"],
    result: "pointer",
  },
  PEM_read_bio_PrivateKey: {
    parameters: ["pointer", "pointer", "pointer", "buffer"],
    result: "pointer",
  },
  EVP_PKEY_free: FREE,
  OPENSSL_sk_num: POINTER_TO_INT,
  OPENSSL_sk_value: { parameters: ["pointer", "i32"], result: "pointer" },
  X509_free: FREE,
  X509_up_ref: POINTER_TO_INT,
  X509_cmp: { parameters: ["pointer", "pointer"], result: "i32" },
  X509_STORE_new: TO_POINTER,
  X509_STORE_free: FREE,
  X509_STORE_add_cert: { parameters: ["pointer", "pointer"], result: "i32" },
  X509_STORE_CTX_new: TO_POINTER,
  X509_STORE_CTX_free: FREE,
  X509_STORE_CTX_init: {
    parameters: ["pointer", "pointer", "pointer", "pointer"],
    result: "i32",
  },
  X509_STORE_CTX_set_default: SET_TEXT,
  X509_STORE_CTX_get0_param: POINTER_TO_POINTER,
  X509_STORE_CTX_get0_chain: POINTER_TO_POINTER,
  X509_STORE_CTX_get_error: POINTER_TO_INT,
  X509_verify_cert: POINTER_TO_INT,
  X509_verify_cert_error_string: { parameters: ["i64"], result: "pointer" },
  X509_VERIFY_PARAM_set_auth_level: SET_NUMBER,
  X509_VERIFY_PARAM_set_depth: SET_NUMBER,
  X509_VERIFY_PARAM_set_flags: { parameters: ["pointer", "u64"], result: "i32" },
  X509_VERIFY_PARAM_set_hostflags: { parameters: ["pointer", "u32"], result: "void" },
  X509_VERIFY_PARAM_set1_host: { parameters: ["pointer", "buffer", "usize"], result: "i32" },
  X509_VERIFY_PARAM_set1_ip_asc: SET_TEXT,
  X509_get_version: POINTER_TO_INT,
  X509_get_extension_flags: { parameters: ["pointer"], result: "u32" },
  X509_get_extended_key_usage: { parameters: ["pointer"], result: "u32" },
  X509_get_signature_info: {
    parameters: ["pointer", "buffer", "buffer", "buffer", "buffer"],
    result: "i32",
  },
  X509_self_signed: { parameters: ["pointer", "i32"], result: "i32" },
  X509_get0_pubkey: POINTER_TO_POINTER,
  X509_get0_notBefore: POINTER_TO_POINTER,
  X509_get0_notAfter: POINTER_TO_POINTER,
  X509_cmp_current_time: POINTER_TO_INT,
  X509_get_subject_name: POINTER_TO_POINTER,
  X509_NAME_oneline: { parameters: ["pointer", "buffer", "i32"], result: "pointer" },
  X509_get_ext_count: POINTER_TO_INT,
  X509_get_ext: { parameters: ["pointer", "i32"], result: "pointer" },
  X509_get_ext_by_NID: { parameters: ["pointer", "i32", "i32"], result: "i32" },
  X509_EXTENSION_get_critical: POINTER_TO_INT,
  X509_EXTENSION_get_object: POINTER_TO_POINTER,
  OBJ_obj2nid: POINTER_TO_INT,
  X509V3_EXT_print: { parameters: ["pointer", "pointer", "u64", "i32"], result: "i32" },
  EVP_PKEY_get_id: POINTER_TO_INT,
  EVP_PKEY_get_bits: POINTER_TO_INT,
  EVP_PKEY_get_group_name: {
    parameters: ["pointer", "buffer", "usize", "buffer"],
    result: "i32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

export interface OpenSsl {
  readonly tls: LibrarySymbols<typeof TLS_SYMBOLS>;
  readonly certificates: LibrarySymbols<typeof CERTIFICATE_SYMBOLS>;
  /** The version, such as "3.0.19". */
  readonly version: string;
}

export type Pointer = Deno.PointerObject;

// Constants of OpenSSL's interface (include/openssl), the same in every 3.x.
export const SSL_ERROR_SSL = 1;
export const SSL_ERROR_WANT_READ = 2;
export const SSL_ERROR_WANT_WRITE = 3;
export const SSL_ERROR_ZERO_RETURN = 6;
/** Ignores the system's settings (openssl.cnf), because a load must be the same everywhere. */
const OPENSSL_INIT_NO_LOAD_CONFIG = 0x80n;

let found: OpenSsl | null = null;

/** The OpenSSL library. Throws with the reason if it is missing, of another version, or FFI is not permitted. */
export function openssl(): OpenSsl {
  return found ??= open();
}

function open(): OpenSsl {
  if (Deno.build.os !== "linux") throw new Error("OpenSSL 3 is used only on Linux");
  const { symbols: certificates } = Deno.dlopen("libcrypto.so.3", CERTIFICATE_SYMBOLS);
  const { symbols: tls } = Deno.dlopen("libssl.so.3", TLS_SYMBOLS);
  const version = /^OpenSSL (3\.\S+)/.exec(cStringAt(certificates.OpenSSL_version(0)))?.[1];
  if (version === undefined) throw new Error("libcrypto.so.3 is not OpenSSL 3");
  if (tls.OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, null) !== 1) {
    throw new Error("OpenSSL cannot be initialised");
  }
  return { tls, certificates, version };
}

/** Reads a C string; empty for a null pointer. */
export function cStringAt(pointer: Deno.PointerValue): string {
  return pointer === null ? "" : Deno.UnsafePointerView.getCString(pointer);
}

/** Encodes a text as a C string. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`);
}

/**
 * Returns a pointer to something that OpenSSL allocated; throws if the pointer is null, because memory was exhausted.
 */
export function made(pointer: Deno.PointerValue): Pointer {
  if (pointer === null) throw new Error("OpenSSL is out of memory");
  return pointer;
}
