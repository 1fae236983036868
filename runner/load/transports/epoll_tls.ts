/**
 * TLS on the sockets of an epoll, by the system's OpenSSL. Handshakes never block, and a read or a write is one call of
 * OpenSSL, which makes the system call itself. A connection is open only once its server is trusted; before that, only
 * the handshake is sent.
 */
import { isIP } from "node:net";
import { ServerTrust, usualAuthorities } from "../../../base/net/server_trust.ts";
import { SECURITY_LEVEL, showCertificate } from "../../../base/net/client_certificate.ts";
import { alertMeaning, alpnRefusal, handshakeFailed } from "../../../base/net/dial_error.ts";
import { offeredBy, type Tls } from "../../../base/net/endpoint.ts";
import { type Libc, libc } from "../../../base/system/libc.ts";
import {
  cString,
  cStringAt,
  made,
  type OpenSsl,
  openssl,
  type Pointer,
  SSL_ERROR_SSL,
  SSL_ERROR_WANT_READ,
  SSL_ERROR_WANT_WRITE,
  SSL_ERROR_ZERO_RETURN,
} from "../../../base/system/openssl.ts";
import type { TlsUse } from "../../result/tls.ts";
import type { EpollSockets, TlsLayer } from "./epoll_sockets.ts";

const SSL_CTRL_MODE = 33;
const SSL_CTRL_SET_READ_AHEAD = 41;
const SSL_CTRL_SET_SESS_CACHE_MODE = 44;
const SSL_CTRL_SET_TLSEXT_HOSTNAME = 55;
const SSL_CTRL_SET_GROUPS_LIST = 92;
const SSL_CTRL_SET_SIGALGS_LIST = 98;
const SSL_CTRL_SET_MIN_PROTO_VERSION = 123;
const TLS1_2_VERSION = 0x303n;
const SSL_OP_NO_TICKET = 0x4000n;
const SSL_OP_NO_COMPRESSION_RENEGOTIATION = 0x20000n | 0x40000000n;
/** Allows partial writes from buffers that move; frees buffers while a connection has nothing in them. */
const SSL_MODE_PARTIAL_MOVING_RETRY_RELEASE = 0x1n | 0x2n | 0x4n | 0x10n;
const SSL_SESS_CACHE_OFF = 0n;

/** The ciphers of the runtime, in its order: authenticated ones with forward secrecy, and no others. */
const CIPHERS_1_3 = "TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256";
const CIPHERS_1_2 = "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:" +
  "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256:" +
  "ECDHE-RSA-CHACHA20-POLY1305";
/** Groups for the key exchange: the runtime's, and P-521 in addition. */
const GROUPS = "X25519:P-256:P-384:P-521";
const SIGNATURES = "ECDSA+SHA384:ECDSA+SHA256:ECDSA+SHA512:ed25519:RSA-PSS+SHA512:RSA-PSS+SHA384:" +
  "RSA-PSS+SHA256:RSA+SHA512:RSA+SHA384:RSA+SHA256";
/** Signatures for keys that are RSA-PSS only, accepted if the server's certificate is not checked. */
const UNCHECKED_SIGNATURES = "rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512";

// OpenSSL's reasons for bytes that are not TLS, and for an end without a close alert (include/openssl/sslerr.h).
const REASON_MASK = 0x7fffffn;
const NO_TLS = new Set([156n, 198n, 252n, 258n, 267n, 443n]);
const UNEXPECTED_EOF = 294n;

const CUT_OFF = "peer closed connection without sending TLS close_notify";

export class EpollTls implements TlsLayer {
  failedStep: TlsLayer["failedStep"] = "tls";
  readonly #openssl: OpenSsl = openssl();
  readonly #libc: Libc = libc();
  readonly #context: Pointer;
  readonly #trust: ServerTrust | null;
  /** The name that is sent as SNI; null if the server is given by its address, which must not be sent (RFC 6066 §3). */
  readonly #sentName: Uint8Array<ArrayBuffer> | null;
  readonly #offered: Uint8Array<ArrayBuffer>;
  readonly #connections: (Pointer | null)[];
  /** By slot: the last connection's session, which the next connection offers; null without resumption. */
  readonly #sessions: (Pointer | null)[] | null;
  /** By slot: the SSL object of a connection that was closed properly, for the next connection to reuse. */
  readonly #spare: (Pointer | null)[];
  /** By slot: 1 if the connection can still be closed with a close alert. */
  readonly #isWhole: Uint8Array;
  /** By slot: 1 if the handshake waits for room to send. */
  readonly #waitsForRoom: Uint8Array;
  readonly #handshakes = new Map<string, TlsUse["handshakes"][number]>();
  /** Where OpenSSL writes a pointer to a connection's ALPN protocol. */
  readonly #place = new BigUint64Array(1);
  readonly #length = new Uint32Array(1);
  /** Result of the last SSL_read. */
  #result = 0;

  /** Null until `on` is called. */
  protected sockets: EpollSockets | null = null;

  /**
   * Throws if OpenSSL refuses the client's certificate.
   * @param resumes Whether the connection of a slot resumes the session of the one before it.
   */
  constructor(slots: number, private readonly tls: Tls, resumes: boolean) {
    const { serverName, insecure, caCerts, client } = tls;
    this.#connections = new Array(slots).fill(null);
    this.#spare = new Array(slots).fill(null);
    this.#sessions = resumes ? new Array(slots).fill(null) : null;
    this.#isWhole = new Uint8Array(slots);
    this.#waitsForRoom = new Uint8Array(slots);
    this.#sentName = isIP(serverName) ? null : cString(serverName);
    this.#offered = new TextEncoder().encode(offeredBy(tls));
    this.#context = contextOf(this.#openssl, this.#offered, { insecure, resumes });
    if (client !== undefined) showCertificate(this.#openssl, this.#context, client);
    this.#trust = insecure ? null : new ServerTrust(this.#openssl, serverName, {
      usual: usualAuthorities() ?? [],
      named: caCerts,
    });
  }

  on(sockets: EpollSockets): this {
    this.sockets = sockets;
    return this;
  }

  get use(): TlsUse {
    const handshakes = [...this.#handshakes.values()];
    return { by: `openssl ${this.#openssl.version}`, handshakes };
  }

  shakeHands(slot: number): string | null {
    const { tls } = this.#openssl;
    const connection = this.#connections[slot] ?? this.#begin(slot);
    const result = tls.SSL_connect(connection);
    if (result === 1) return this.#admit(slot, connection);
    const error = tls.SSL_get_error(connection, result);
    const waits = error === SSL_ERROR_WANT_READ || error === SSL_ERROR_WANT_WRITE;
    if (!waits) return this.#handshakeRefusal(error);
    this.#watchRoom(slot, error === SSL_ERROR_WANT_WRITE);
    return "";
  }

  #begin(slot: number): Pointer {
    const { tls } = this.#openssl;
    const connection = this.#spare[slot] ?? this.#make();
    this.#spare[slot] = null;
    this.#connections[slot] = connection;
    tls.SSL_set_fd(connection, this.sockets?.fds[slot] ?? -1);
    const session = this.#sessions?.[slot] ?? null;
    if (session !== null) tls.SSL_set_session(connection, session);
    return connection;
  }

  #make(): Pointer {
    const { tls } = this.#openssl;
    const connection = made(tls.SSL_new(this.#context));
    if (this.#sentName !== null) {
      tls.SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, 0n, this.#sentName);
    }
    return connection;
  }

  #watchRoom(slot: number, waits: boolean): void {
    if ((this.#waitsForRoom[slot] === 1) === waits) return;
    this.#waitsForRoom[slot] = waits ? 1 : 0;
    this.sockets?.watch(slot, waits);
  }

  #admit(slot: number, connection: Pointer): string | null {
    const { tls } = this.#openssl;
    this.#watchRoom(slot, false);
    this.#isWhole[slot] = 1;
    const alpn = this.#alpnOf(connection);
    const refusal = this.#trust?.refusalOf(tls.SSL_get_peer_cert_chain(connection)) ??
      alpnRefusal(this.tls, alpn);
    if (refusal === null) this.#count(connection, alpn);
    return refusal;
  }

  #count(connection: Pointer, alpn: string | null): void {
    const { tls } = this.#openssl;
    const cipher = tls.SSL_get_current_cipher(connection);
    const key = `${tls.SSL_version(connection)} ${tls.SSL_CIPHER_get_protocol_id(cipher)} ${alpn}`;
    let known = this.#handshakes.get(key);
    if (known === undefined) {
      const version = cStringAt(tls.SSL_get_version(connection));
      known = {
        version,
        cipher: cStringAt(tls.SSL_CIPHER_get_name(cipher)),
        alpn,
        full: 0,
        resumed: 0,
      };
      this.#handshakes.set(key, known);
    }
    if (tls.SSL_session_reused(connection) === 1) known.resumed++;
    else known.full++;
  }

  #alpnOf(connection: Pointer): string | null {
    const { tls, certificates } = this.#openssl;
    tls.SSL_get0_alpn_selected(connection, this.#place, this.#length);
    const pointer = Deno.UnsafePointer.create(this.#place[0]);
    if (pointer === null) return null;
    const [length] = this.#length;
    const isOffered = length === this.#offered.length &&
      certificates.CRYPTO_memcmp(pointer, this.#offered, length) === 0;
    if (isOffered) return offeredBy(this.tls);
    return new TextDecoder().decode(Deno.UnsafePointerView.getArrayBuffer(pointer, length));
  }

  #handshakeRefusal(error: number): string {
    const errno = this.#libc.errno();
    const { reason, text } = this.#takeError();
    const meaning = (said: string): string => handshakeFailed(new Error(said), this.tls).message;
    if (reason === UNEXPECTED_EOF) return meaning("unexpected end of file");
    if (NO_TLS.has(reason)) return meaning("InvalidContentType");
    if (error === SSL_ERROR_SSL) return meaning(text);
    return meaning(errno === 0 ? "unexpected end of file" : this.#libc.explain(errno));
  }

  /** The first error in OpenSSL's queue, which is then emptied so that no later call finds it. */
  #takeError(): { readonly reason: bigint; readonly text: string } {
    const { certificates } = this.#openssl;
    const code = certificates.ERR_get_error();
    const text = cStringAt(certificates.ERR_reason_error_string(code)) || `error ${code}`;
    certificates.ERR_clear_error();
    return { reason: code & REASON_MASK, text };
  }

  // hot: runs for every read.
  receive(slot: number, buffer: Uint8Array<ArrayBuffer>): number {
    const length = this.#openssl.tls.SSL_read(this.#connections[slot], buffer, buffer.length);
    this.#result = length;
    return length;
  }

  endOf(slot: number): string | null | undefined {
    const error = this.#openssl.tls.SSL_get_error(this.#connections[slot], this.#result);
    // Anything that a read has to send, such as the response to a KeyUpdate, goes out with the next write.
    if (error === SSL_ERROR_WANT_READ || error === SSL_ERROR_WANT_WRITE) return undefined;
    if (error === SSL_ERROR_ZERO_RETURN) return null;
    const errno = this.#libc.errno();
    this.#isWhole[slot] = 0;
    const { reason, text } = this.#takeError();
    if (error === SSL_ERROR_SSL) {
      return reason === UNEXPECTED_EOF ? CUT_OFF : alertMeaning(text, this.tls) ?? text;
    }
    return errno === 0 ? CUT_OFF : this.#libc.explain(errno);
  }

  // hot: runs for every read.
  holdsMore(slot: number): boolean {
    const connection = this.#connections[slot];
    return connection !== null && this.#openssl.tls.SSL_has_pending(connection) === 1;
  }

  // hot: runs for every request.
  send(slot: number, bytes: Uint8Array<ArrayBuffer>): number {
    const connection = this.#connections[slot];
    const { tls } = this.#openssl;
    const sent = tls.SSL_write(connection, bytes, bytes.length);
    if (sent > 0) return sent;
    const error = tls.SSL_get_error(connection, sent);
    if (error === SSL_ERROR_WANT_READ || error === SSL_ERROR_WANT_WRITE) return 0;
    this.#isWhole[slot] = 0;
    this.#openssl.certificates.ERR_clear_error();
    return 0;
  }

  /**
   * Closes the connection. If it can still be closed with a close alert (RFC 8446 §6.1), sends that, and keeps the
   * session and the SSL object for reuse.
   */
  close(slot: number): void {
    const connection = this.#connections[slot];
    if (connection === null) return;
    const { tls, certificates } = this.#openssl;
    const isWhole = this.#isWhole[slot] === 1;
    if (isWhole && tls.SSL_shutdown(connection) < 0) certificates.ERR_clear_error();
    if (isWhole && this.#sessions !== null) this.#keepSession(slot, connection, this.#sessions);
    if (isWhole && this.#cleared(connection)) this.#spare[slot] = connection;
    else tls.SSL_free(connection);
    this.#connections[slot] = null;
    this.#isWhole[slot] = this.#waitsForRoom[slot] = 0;
  }

  /**
   * Stores the session for the slot's next connection. In TLS 1.3 the session comes with the server's last ticket,
   * which arrives only after the handshake (RFC 8446 §4.6.1).
   */
  #keepSession(slot: number, connection: Pointer, sessions: (Pointer | null)[]): void {
    const { tls } = this.#openssl;
    const session = made(tls.SSL_get1_session(connection));
    if (tls.SSL_SESSION_is_resumable(session) !== 1) return tls.SSL_SESSION_free(session);
    const before = sessions[slot];
    if (before !== null) tls.SSL_SESSION_free(before);
    sessions[slot] = session;
  }

  /** Clears an SSL object completely, session included: the next handshake is a full one unless a session is set. */
  #cleared(connection: Pointer): boolean {
    const { tls } = this.#openssl;
    return tls.SSL_clear(connection) === 1 && tls.SSL_set_session(connection, null) === 1;
  }

  end(): void {
    const { tls } = this.#openssl;
    for (const spare of this.#spare) if (spare !== null) tls.SSL_free(spare);
    for (const session of this.#sessions ?? []) if (session !== null) tls.SSL_SESSION_free(session);
    this.#trust?.free();
    tls.SSL_CTX_free(this.#context);
  }
}

/** @param offered The only protocol that ALPN offers. */
function contextOf(
  { tls }: OpenSsl,
  offered: Uint8Array,
  { insecure, resumes }: { readonly insecure: boolean; readonly resumes: boolean },
): Pointer {
  const context = made(tls.SSL_CTX_new(tls.TLS_client_method()));
  const control = (what: number, number: bigint, text: string | null = null): void => {
    tls.SSL_CTX_ctrl(context, what, number, text === null ? null : cString(text));
  };
  tls.SSL_CTX_set_security_level(context, SECURITY_LEVEL);
  const withoutTickets = resumes ? 0n : SSL_OP_NO_TICKET;
  tls.SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION_RENEGOTIATION | withoutTickets);
  control(SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION);
  control(SSL_CTRL_MODE, SSL_MODE_PARTIAL_MOVING_RETRY_RELEASE);
  control(SSL_CTRL_SET_READ_AHEAD, 1n);
  control(SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF);
  control(SSL_CTRL_SET_GROUPS_LIST, 0n, GROUPS);
  const signatures = insecure ? `${SIGNATURES}:${UNCHECKED_SIGNATURES}` : SIGNATURES;
  control(SSL_CTRL_SET_SIGALGS_LIST, 0n, signatures);
  tls.SSL_CTX_set_cipher_list(context, cString(CIPHERS_1_2));
  tls.SSL_CTX_set_ciphersuites(context, cString(CIPHERS_1_3));
  const alpn = Uint8Array.of(offered.length, ...offered); // RFC 7301 §3.1
  tls.SSL_CTX_set_alpn_protos(context, alpn, alpn.length);
  return context;
}
