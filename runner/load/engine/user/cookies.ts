/**
 * The cookies of virtual users (RFC 6265): each has a jar of its own from the first cookie on. Domains, paths, expiry and
 * `Secure` are tough-cookie's matter, which is loaded only for a flow with cookies.
 */
import type { Cookie, CookieJar } from "tough-cookie";
import type { ReceivedResponse } from "../../../../base/http/received.ts";
import type { WireRequest } from "../../../../base/http/request.ts";
import { isWithin, LIMITS } from "../../../../base/limits.ts";

/** What a flow's virtual users begin with. */
export interface CookieSpec {
  /** Origin of the target: `http://host:port`. */
  readonly origin: string;
  /** Values by their names. */
  readonly preset: Readonly<Record<string, string>>;
}

/** Gives the jars of one flow. */
export interface CookieJars {
  /** The cookies of a virtual user who arrives. */
  open(): UserCookies;
}

/** What all users of a flow begin with. */
interface FirstCookies {
  readonly origin: string;
  /** Lines as the origin would set them. */
  readonly lines: readonly string[];
  /** The Cookie field of every request to the origin, whatever its path; empty if there are no cookies. */
  readonly text: string;
}

export async function cookieJars({ origin, preset }: CookieSpec): Promise<CookieJars> {
  const { CookieJar } = await import("tough-cookie");
  // What is set for a public suffix is kept for its own host, and sent to no other.
  const open = (): CookieJar => new CookieJar(undefined, { rejectPublicSuffixes: false });
  const lines = Object.entries(preset).map(([name, value]) => `${name}=${value}; Path=/`);
  const jar = open();
  for (const line of lines) jar.setCookieSync(line, `${origin}/`, { ignoreError: true });
  const first = { origin, lines, text: jar.getCookieStringSync(`${origin}/`) };
  return { open: () => new UserCookies(first, open) };
}

/** URLs whose field is kept, because a server may send each user to ever new ones. */
const MOST_TEXTS = 100;

export class UserCookies {
  /** Null as long as no cookie was set beside the first ones. */
  #jar: CookieJar | null = null;
  /** The fields of requests by URL, as long as no cookie is set or expires: the jar takes longer than the sending. */
  #texts = new Map<string, string>();
  /**
   * Upper bound of what the jar has: a cookie that is set anew counts twice, because counting takes longer than
   * setting.
   */
  #most = { cookies: 0, bytes: 0 };
  /** When the first cookie of the jar expires, in ms since the epoch. */
  #untilMs = Infinity;

  constructor(
    private readonly first: FirstCookies,
    private readonly openJar: () => CookieJar,
  ) {}

  /** The request to the origin with its cookies; one that has a field of its own for them is left as it is. */
  added(wire: WireRequest, origin: string): WireRequest {
    const text = this.#textFor(origin, wire.path);
    const hasOwn = Object.keys(wire.headers).some((name) => name.toLowerCase() === "cookie");
    return text === "" || hasOwn ? wire : { ...wire, headers: { ...wire.headers, cookie: text } };
  }

  #textFor(origin: string, path: string): string {
    if (this.#jar === null) return origin === this.first.origin ? this.first.text : "";
    const url = origin + path;
    const known = this.#texts.get(url);
    if (known !== undefined && Date.now() < this.#untilMs) return known;
    const text = this.#jar.getCookieStringSync(url);
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
    this.#texts.set(url, text);
    return text;
  }

  /** Whether any request would carry one. */
  get isEmpty(): boolean {
    return this.#jar === null && this.first.text === "";
  }

  /** Keeps what the response to a request of `url` sets, within the limits, and returns all lines that set some. */
  keep(response: ReceivedResponse, url: () => string): readonly string[] {
    const lines = response.kept?.fields("set-cookie") ?? [];
    if (lines.length === 0) return lines;
    if (this.#jar === null) {
      this.#jar = this.openJar();
      this.#take(this.#jar, this.first.lines, `${this.first.origin}/`);
    }
    // Beyond the most that a user may have, only the last cookies would stay.
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
      // A cookie that no browser would keep, such as another domain's, is left out.
      const endMs = jar.setCookieSync(line, url, { ignoreError: true })?.expiryTime() ?? Infinity;
      if (endMs > Date.now()) this.#untilMs = Math.min(this.#untilMs, endMs); // else it removed one
    }
  }

  /** A jar of its own, as one keeps a place for each path of cookies that have left. */
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

/**
 * Cookies that have not expired, the newest first, as many as a user may have.
 *
 * @param cookies The oldest first.
 */
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
