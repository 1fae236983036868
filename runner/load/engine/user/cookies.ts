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

/** What all users of a flow begin with. */
interface FirstCookies {
  readonly origin: string;
  /** As lines that the origin would set. */
  readonly lines: readonly string[];
  /** The field of a request to the origin, whatever its path; empty: none. */
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

export class UserCookies {
  /** Null: nobody has set any but the first ones. */
  #jar: CookieJar | null = null;
  /** The fields of requests by URL, as long as no cookie is set or expires: the jar takes longer than the sending. */
  #texts = new Map<string, string>();
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
    this.#texts.set(url, text);
    return text;
  }

  /** Whether any request would carry one. */
  get isEmpty(): boolean {
    return this.#jar === null && this.first.text === "";
  }

  /** Keeps what the response to a request of `url` sets, and returns the lines that do. */
  keep(reader: ResponseReader, url: () => string): readonly string[] {
    const lines = reader.kept?.fields("set-cookie") ?? [];
    if (lines.length === 0) return lines;
    if (this.#jar === null) {
      this.#jar = this.openJar();
      this.#take(this.#jar, this.first.lines, `${this.first.origin}/`);
    }
    this.#take(this.#jar, lines, url());
    return lines;
  }

  #take(jar: CookieJar, lines: readonly string[], url: string): void {
    this.#texts.clear();
    for (const line of lines) {
      // A cookie that no browser would keep, such as another domain's, is left out.
      const endMs = jar.setCookieSync(line, url, { ignoreError: true })?.expiryTime() ?? Infinity;
      if (endMs > Date.now()) this.#untilMs = Math.min(this.#untilMs, endMs); // else it removed one
    }
  }
}
