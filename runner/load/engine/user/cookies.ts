/**
 * The cookies of virtual users (RFC 6265): each has a jar of its own from the first cookie on. Domains, paths, expiry and
 * `Secure` are tough-cookie's matter, which is loaded only for a flow with cookies.
 */
import type { CookieJar } from "tough-cookie";
import type { ResponseReader } from "../../../../base/http/response.ts";
import type { WireRequest } from "../../../../base/http/request.ts";

/** What a flow's virtual users begin with. */
export interface CookieSpec {
  /** Of the target: `http://host:port`. */
  readonly origin: string;
  /** Values by their names. */
  readonly preset: Readonly<Record<string, string>>;
}

/** Gives the jars of one flow. */
export interface CookieJars {
  /** For a virtual user who arrives. */
  open(): UserCookies;
}

export async function cookieJars({ origin, preset }: CookieSpec): Promise<CookieJars> {
  const { CookieJar } = await import("tough-cookie");
  const given = Object.entries(preset).map(([name, value]) => `${name}=${value}; Path=/`);
  // What is set for a public suffix is kept for its own host, and sent to no other.
  const open = (): CookieJar => new CookieJar(undefined, { rejectPublicSuffixes: false });
  return { open: () => new UserCookies(origin, given, open) };
}

export class UserCookies {
  #jar: CookieJar | null = null;

  constructor(
    origin: string,
    given: readonly string[],
    private readonly openJar: () => CookieJar,
  ) {
    this.#take(given, `${origin}/`);
  }

  /** The request to the origin with its cookies; one that has a field of its own for them is left as it is. */
  added(wire: WireRequest, origin: string): WireRequest {
    const text = this.#jar?.getCookieStringSync(origin + wire.path) ?? "";
    const hasOwn = Object.keys(wire.headers).some((name) => name.toLowerCase() === "cookie");
    return text === "" || hasOwn ? wire : { ...wire, headers: { ...wire.headers, cookie: text } };
  }

  /** Whether any request would carry one. */
  get isEmpty(): boolean {
    return this.#jar === null;
  }

  /** Keeps what the response to a request of `url` sets. */
  keep(reader: ResponseReader, url: () => string): void {
    const lines = reader.kept?.fields("set-cookie") ?? [];
    if (lines.length > 0) this.#take(lines, url());
  }

  #take(lines: readonly string[], url: string): void {
    for (const line of lines) {
      // A cookie that no browser would keep, such as another domain's, is left out.
      (this.#jar ??= this.openJar()).setCookieSync(line, url, { ignoreError: true });
    }
  }
}
