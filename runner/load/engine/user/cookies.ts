/**
 * The cookies of virtual users (RFC 6265). A user gets a cookie jar when a response first sets a cookie. The library
 * tough-cookie handles domains, paths, expiry and `Secure`; it is loaded only for a flow with cookies.
 */
import type { Cookie, CookieJar } from "tough-cookie";
import type { ReceivedResponse } from "../../../../base/http/received.ts";
import type { WireRequest } from "../../../../base/http/request.ts";
import { isWithin, LIMITS } from "../../../../base/limits.ts";

/** The cookies with which a flow's virtual users begin. */
export interface CookieSpec {
  /** Origin of the target: `http://host:port`. */
  readonly origin: string;
  /** Cookie values, keyed by the cookie's name. */
  readonly preset: Readonly<Record<string, string>>;
}

/** Creates the jars of one flow. */
export interface CookieJars {
  /** The cookies of a virtual user who arrives. */
  open(): UserCookies;
}

/** The cookies with which all users of a flow begin. */
interface FirstCookies {
  readonly origin: string;
  /** Set-Cookie lines, as if the origin had sent them. */
  readonly lines: readonly string[];
  /** The Cookie field of every request to the origin, whatever its path; empty if there are no cookies. */
  readonly text: string;
}

export async function cookieJars({ origin, preset }: CookieSpec): Promise<CookieJars> {
  const { CookieJar } = await import("tough-cookie");
  // A cookie for a public suffix is kept as a cookie of the host that set it, and sent to no other host.
  const open = (): CookieJar => new CookieJar(undefined, { rejectPublicSuffixes: false });
  const lines = Object.entries(preset).map(([name, value]) => `${name}=${value}; Path=/`);
  const jar = open();
  for (const line of lines) jar.setCookieSync(line, `${origin}/`, { ignoreError: true });
  const first = { origin, lines, text: jar.getCookieStringSync(`${origin}/`) };
  return { open: () => new UserCookies(first, open) };
}

/**
 * The most URLs whose Cookie field is cached for a user; limited because a server may redirect users to ever new URLs.
 */
const MOST_TEXTS = 100;

export class UserCookies {
  /** Null until a cookie is set in addition to the first ones. */
  #jar: CookieJar | null = null;
  /**
   * Cookie fields by URL, valid until a cookie is set or expires. They are cached because computing one takes longer
   * than sending it.
   */
  #texts = new Map<string, string>();
  /**
   * Upper bounds of the number and size of the jar's cookies. A cookie that is set again counts twice, because an exact
   * count would take longer than setting it.
   */
  #most = { cookies: 0, bytes: 0 };
  /** When the cached Cookie fields become invalid, in ms since the epoch: no later than the next expiry of a cookie. */
  #untilMs = Infinity;

  constructor(
    private readonly first: FirstCookies,
    private readonly openJar: () => CookieJar,
  ) {}

  /**
   * The request with the cookies for the origin; unchanged if there are none, or if it has a Cookie field of its own.
   */
  added(wire: WireRequest, origin: string): WireRequest {
    const text = this.#textFor(origin, wire.path);
    const hasOwn = Object.keys(wire.headers).some((name) => name.toLowerCase() === "cookie");
    return text === "" || hasOwn ? wire : { ...wire, headers: { ...wire.headers, cookie: text } };
  }

  #textFor(origin: string, path: string): string {
    if (this.#jar === null) return origin === this.first.origin ? this.first.text : "";
    const url = origin + path;
    if (Date.now() >= this.#untilMs) this.#expire(this.#jar);
    const known = this.#texts.get(url);
    if (known !== undefined) return known;
    const text = this.#jar.getCookieStringSync(url);
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
    this.#texts.set(url, text);
    return text;
  }

  /** True if the user began without cookies and no response has had a Set-Cookie field since. */
  get isEmpty(): boolean {
    return this.#jar === null && this.first.text === "";
  }

  /**
   * Keeps the cookies that the response to the request for `url` sets, within the limits; returns all its Set-Cookie
   * lines.
   */
  keep(response: ReceivedResponse, url: () => string): readonly string[] {
    const lines = response.kept?.fields("set-cookie") ?? [];
    if (lines.length === 0) return lines;
    if (this.#jar === null) {
      this.#jar = this.openJar();
      this.#take(this.#jar, this.first.lines, `${this.first.origin}/`);
    }
    // If the response sets more cookies than a user may have, only the last ones would remain, so
    // the others are not set at all.
    this.#take(this.#jar, lines.slice(-LIMITS.cookies.most), url());
    if (!isWithin("cookies", this.#most.cookies) || !isWithin("cookieBytes", this.#most.bytes)) {
      this.#jar = this.#withoutOldest(this.#jar);
    }
    return lines;
  }

  #take(jar: CookieJar, lines: readonly string[], url: string): void {
    this.#texts.clear();
    for (const line of lines) {
      if (!isWithin("cookie", line.length)) continue;
      this.#most.cookies++;
      this.#most.bytes += line.length;
      // `ignoreError` skips cookies that no browser would keep, such as those for another domain.
      const cookie = jar.setCookieSync(line, url, { ignoreError: true });
      const endMs = cookie?.expiryTime() ?? Infinity;
      if (cookie === undefined || endMs <= Date.now()) continue; // the line set nothing, or removed a cookie
      this.#untilMs = Math.min(this.#untilMs, endMs);
      if (cookie.maxAge === null || endMs === Infinity) continue;
      // tough-cookie counts Max-Age from the last request that sent the cookie, but RFC 6265 §5.3
      // counts it from the response that set the cookie.
      cookie.maxAge = null;
      cookie.expires = new Date(endMs);
    }
  }

  /**
   * Clears the cached Cookie fields, because a cookie in them may have expired, and finds out when the next cookie
   * expires.
   */
  #expire({ store }: CookieJar): void {
    this.#texts.clear();
    const nowMs = Date.now();
    store.getAllCookies((_, cookies = []) => {
      const endsMs = cookies.map((cookie) => cookie.expiryTime() ?? Infinity);
      this.#untilMs = Math.min(...endsMs.filter((endMs) => endMs > nowMs));
    });
  }

  /** A new jar with the newest cookies, because a jar keeps memory for the path of every cookie that it ever had. */
  #withoutOldest({ store }: CookieJar): CookieJar {
    const jar = this.openJar();
    this.#most = { cookies: 0, bytes: 0 };
    store.getAllCookies((_, cookies = []) => {
      for (const { cookie, bytes } of newest(cookies)) {
        jar.store.putCookie(cookie, () => {});
        this.#most.cookies++;
        this.#most.bytes += bytes;
      }
    });
    return jar;
  }
}

/** Cookies that have not expired, newest first, up to as many as a user may have. @param cookies Oldest first. */
function* newest(cookies: readonly Cookie[]): Generator<{ cookie: Cookie; bytes: number }> {
  let [count, sum] = [0, 0];
  for (const cookie of cookies.toReversed()) {
    if ((cookie.expiryTime() ?? Infinity) <= Date.now()) continue;
    const bytes = cookie.toString().length;
    sum += bytes;
    if (!isWithin("cookies", ++count) || !isWithin("cookieBytes", sum)) return;
    yield { cookie, bytes };
  }
}
