/** Chooses the driver of a load. `auto` takes the best one that works on this machine, and finds it by trying. */
import { noTlsToResume } from "../../../base/load_options.ts";
import { messageOf, type Problem, TargetError, UserError } from "../../../base/errors.ts";
import { type Endpoint, hasTls, type Tls } from "../../../base/net/endpoint.ts";
import { EVENT_WORDS, libc } from "../../../base/system/libc.ts";
import type { DriverName } from "../engine/driver.ts";
import { openEpoll } from "./epoll_sockets.ts";
import { canWakePunctually, waiterFor } from "./epoll_wait.ts";

export interface DriverChoice {
  readonly driver: DriverName;
  /** A note for the user on what this machine lacks and what is used instead; null if there is nothing to say. */
  readonly note: string | null;
  /** Which TLS is used: the runtime's, or the system's OpenSSL with its version; absent without TLS. */
  readonly tls?: string;
}

/**
 * Throws a UserError if no machine could do what is asked: the epoll driver on a unix socket, or resuming TLS sessions
 * without TLS or with the tcp driver.
 * @param resumes Whether TLS sessions are to be resumed.
 */
export function checkDriver(
  wish: DriverName | "auto",
  endpoint: Endpoint,
  resumes = false,
): void {
  if (wish === "epoll" && "path" in endpoint) throw new UserError([NEEDS_TCP_DRIVER]);
  if (resumes && !hasTls(endpoint)) throw new UserError([{ place: "tls", ...noTlsToResume() }]);
  if (resumes && wish === "tcp") throw new UserError([NEEDS_EPOLL_DRIVER]);
}

/**
 * Throws as `checkDriver` does, and a TargetError if the epoll driver does not work on this machine although it was
 * requested, or is needed to resume TLS sessions.
 */
export async function chooseDriver(
  wish: DriverName | "auto",
  endpoint: Endpoint,
  resumes = false,
): Promise<DriverChoice> {
  checkDriver(wish, endpoint, resumes);
  const tls = "path" in endpoint ? undefined : endpoint.tls;
  const portable: DriverChoice = { driver: "tcp", note: null, ...(tls && { tls: "runtime" }) };
  if (wish === "tcp" || "path" in endpoint) return portable;
  try {
    const note = tryEpoll();
    return { driver: "epoll", note, ...(tls && { tls: await tryOpenSsl(tls) }) };
  } catch (error) {
    const [why] = messageOf(error).split("\n", 1);
    if (resumes) {
      throw new TargetError(
        `Cannot resume TLS sessions here: only the epoll driver can, but it is not available: ${why}`,
        ["leave out tls, so that every handshake is full"],
      );
    }
    // With TLS, no warning is needed: the runtime's TLS is as good as OpenSSL, and results name
    // which of them was used.
    const note = tls
      ? null
      : `Workers use the tcp driver, because epoll is not available here: ${why}`;
    if (wish === "auto") return { ...portable, note };
    throw new TargetError(`Cannot use the epoll driver: ${why}`, ["use --driver tcp or auto"]);
  }
}

/**
 * Returns the version of the system's OpenSSL. Throws the reason if a worker can't use OpenSSL with these TLS settings.
 */
async function tryOpenSsl({ serverName, insecure, client }: Tls): Promise<string> {
  const [{ openssl }, { isUsualName, usualAuthorities }, { checkCertificate }] = await Promise.all([
    import("../../../base/system/openssl.ts"),
    import("../../../base/net/server_trust.ts"),
    import("../../../base/net/client_certificate.ts"),
  ]);
  const { version } = openssl();
  if (!isUsualName(serverName)) throw new Error(`OpenSSL cannot verify the name "${serverName}"`);
  if (!insecure && usualAuthorities() === null) {
    throw new Error("this runtime does not report which certificate authorities it trusts");
  }
  if (client !== undefined) checkCertificate(openssl(), client);
  return `openssl ${version}`;
}

/**
 * Opens an epoll and waits once, as a worker would; this takes 10 µs. Returns a note on what is missing and what
 * replaces it, or null if nothing is missing. Throws the reason if epoll does not work.
 */
function tryEpoll(): string | null {
  const calls = libc();
  const epoll = openEpoll(calls);
  try {
    const queue = { libc: calls, epoll, events: new Int32Array(EVENT_WORDS) };
    const { note, close } = waiterFor(queue, canWakePunctually(calls));
    close();
    return note;
  } finally {
    calls.close(epoll);
  }
}

const NEEDS_EPOLL_DRIVER: Problem = {
  place: "--driver",
  message: "Cannot resume TLS sessions with the tcp driver: the runtime's TLS cannot",
  fix: "use epoll or auto",
};

const NEEDS_TCP_DRIVER: Problem = {
  place: "--driver",
  message: "Cannot use the epoll driver on a unix socket: it supports only TCP",
  fix: "use tcp or auto",
};
