/**
 * The cases of the test suite behind RFC 6265 (http-state, by A. Barth), by its names. Left out are those that need a
 * second host, as a load has one (domain0002, 0004 to 0007, 0024, 0025, 0028, 0029, 0031, 0041, 0042, optional-domain0043),
 * those that the suite disables, and domain0017, as a list of public suffixes is no client's duty (§5.3, step 5). Dates to
 * come that have passed since the suite was written are later here, and the long value of chromium0019 is one of ours.
 */

import { DOMAINS, FOO, NONE, PATHS, RESULT, type Row } from "./cookie_scope_cases.ts";

/** The Set-Cookie lines of a response to `/cookie-parser`, and the Cookie of the next request: "" for none. */
export interface CookieCase {
  readonly name: string;
  readonly set: readonly string[];
  readonly sent: string;
  /** Path of the next request. */
  readonly to?: string;
}

const BUSY = "春节回家路·春运完全手册";
const LONG = `a=${"a".repeat(4_000)}`;

const GENERAL: readonly Row[] = [
  ["0001", FOO, FOO],
  ["0002", "foo=bar; Expires=Fri, 07 Aug 2099 08:04:19 GMT", FOO],
  [
    "0003",
    [
      "foo=bar; Expires=Fri, 07 Aug 2007 08:04:19 GMT",
      "foo2=bar2; Expires=Fri, 07 Aug 2097 08:04:19 GMT",
    ],
    "foo2=bar2",
  ],
  ["0004", "foo", NONE],
  ["0005", "foo=bar; max-age=10000;", FOO],
  ["0006", "foo=bar; max-age=0;", NONE],
  ["0007", "foo=bar; version=1;", FOO],
  ["0008", "foo=bar; version=1000;", FOO],
  ["0009", "foo=bar; customvalue=1000;", FOO],
  ["0010", "foo=bar; secure;", NONE],
  ["0011", 'foo=bar; customvalue="1000 or more";', FOO],
  ["0012", 'foo=bar; customvalue="no trailing semicolon"', FOO],
  ["0013", ["foo=bar", "foo=qux"], "foo=qux"],
  ["0014", ["foo1=bar", "foo2=qux"], "foo1=bar; foo2=qux"],
  ["0015", ["a=b", "z=y"], "a=b; z=y"],
  ["0016", ["z=y", "a=b"], "z=y; a=b"],
  ["0017", "z=y, a=b", "z=y, a=b"],
  ["0018", "z=y; foo=bar, a=b", "z=y"],
  ["0019", "foo=b;max-age=3600, c=d;path=/", "foo=b"],
  ["0020", ["a=b", "=", "c=d"], "a=b; c=d"],
  ["0021", ["a=b", "=x", "c=d"], "a=b; c=d"],
  ["0022", ["a=b", "x=", "c=d"], "a=b; x=; c=d"],
  ["0023", ["foo", ""], NONE],
  ["0024", ["foo", "="], NONE],
  ["0025", ["foo", "; bar"], NONE],
  ["0026", ["foo", "   "], NONE],
  ["0027", ["foo", "bar"], NONE],
  ["0028", ["foo", "\t"], NONE],
];

const ATTRIBUTES: readonly Row[] = [
  ["attribute0001", "foo=bar; Secure", NONE],
  ["attribute0002", "foo=bar; seCURe", NONE],
  ["attribute0003", 'foo=bar; "Secure"', FOO],
  ["attribute0004", "foo=bar; Secure=", NONE],
  ["attribute0005", "foo=bar; Secure=aaaa", NONE],
  ["attribute0006", "foo=bar; Secure qux", FOO],
  ["attribute0007", "foo=bar; Secure =aaaaa", NONE],
  ["attribute0008", "foo=bar; Secure= aaaaa", NONE],
  ["attribute0009", "foo=bar; Secure; qux", NONE],
  ["attribute0010", "foo=bar; Secure;qux", NONE],
  ["attribute0011", "foo=bar; Secure    ; qux", NONE],
  ["attribute0012", "foo=bar;                Secure", NONE],
  ["attribute0013", "foo=bar;       Secure     ;", NONE],
  ["attribute0014", "foo=bar; Path", FOO],
  ["attribute0015", "foo=bar; Path=", FOO],
  ["attribute0016", "foo=bar; Path=/", FOO],
  ["attribute0017", "foo=bar; Path=/qux", NONE],
  ["attribute0018", "foo=bar; Path    =/qux", NONE],
  ["attribute0019", "foo=bar; Path=    /qux", NONE],
  ["attribute0020", "foo=bar; Path=/qux      ; taz", NONE],
  ["attribute0021", "foo=bar; Path=/qux; Path=/", FOO],
  ["attribute0022", "foo=bar; Path=/; Path=/qux", NONE],
  ["attribute0023", "foo=bar; Path=/qux; Path=/cookie-parser-result", FOO],
  ["attribute0024", "foo=bar; Path=/cookie-parser-result; Path=/qux", NONE],
  ["attribute0025", "foo=bar; qux; Secure", NONE],
  ["attribute0026", 'foo=bar; qux="aaa;bbb"; Secure', NONE],
  ["comma0001", "foo=bar, baz=qux", "foo=bar, baz=qux"],
  ["comma0002", 'foo="bar, baz=qux"', 'foo="bar, baz=qux"'],
  ["comma0003", "foo=bar; b,az=qux", FOO],
  ["comma0004", "foo=bar; baz=q,ux", FOO],
  ["comma0005", "foo=bar; Max-Age=50,399", FOO],
  ["comma0006", "foo=bar; Expires=Fri, 07 Aug 2099 08:04:19 GMT", FOO],
  ["comma0007", "foo=bar; Expires=Fri 07 Aug 2099 08:04:19 GMT, baz=qux", FOO],
];

const BROWSERS: readonly Row[] = [
  ["charset0001", `foo=${BUSY}`, `foo=${BUSY}`],
  ["charset0002", "春节回=家路·春运完全手册", "春节回=家路·春运完全手册"],
  ["charset0003", "春节回=家路·春运; 完全手册", "春节回=家路·春运"],
  ["charset0004", `foo="${BUSY}"`, `foo="${BUSY}"`],
  ["chromium0001", "a=b", "a=b"],
  ["chromium0002", 'aBc="zzz "   ;', 'aBc="zzz "'],
  ["chromium0003", 'aBc="zzz " ;', 'aBc="zzz "'],
  ["chromium0004", 'aBc="zz;pp" ; ;', 'aBc="zz'],
  ["chromium0005", 'aBc="zz ;', 'aBc="zz'],
  ["chromium0006", 'aBc="zzz "   "ppp"  ;', 'aBc="zzz "   "ppp"'],
  ["chromium0007", 'aBc="zzz "   "ppp" ;', 'aBc="zzz "   "ppp"'],
  ["chromium0008", 'aBc=A"B ;', 'aBc=A"B'],
  ["chromium0009", "BLAHHH; path=/;", NONE],
  ["chromium0010", '"BLA\\"HHH"; path=/;', NONE],
  ["chromium0011", 'a="B', 'a="B'],
  ["chromium0012", "=ABC", NONE],
  ["chromium0013", "ABC=;  path = /", "ABC="],
  ["chromium0014", "  A  = BC  ;foo;;;   bar", "A=BC"],
  ["chromium0015", "  A=== BC  ;foo;;;   bar", "A=== BC"],
  ["chromium0016", 'foo="zoh"  ; expires=Sun, 18-Apr-2097 21:06:29 GMT ; path=/  ;  ', 'foo="zoh"'],
  ["chromium0017", "foo=zoh  ; expires=Sun, 18-Apr-2097 21:06:29 GMT ; path=/  ;  ", "foo=zoh"],
  ["chromium0018", "    ", NONE],
  ["chromium0019", LONG, LONG],
  ["chromium0021", "", NONE],
  ["mozilla0001", "foo=bar; max-age=-1", NONE],
  ["mozilla0002", "foo=bar; max-age=0", NONE],
  ["mozilla0003", "foo=bar; expires=Thu, 10 Apr 1980 16:33:12 GMT", NONE],
  ["mozilla0004", "foo=bar; max-age=60", FOO],
  ["mozilla0005", "foo=bar; max-age=-20", NONE],
  ["mozilla0008", ["foo=bar; max-age=60", "foo1=bar; max-age=60"], "foo=bar; foo1=bar"],
  [
    "mozilla0009",
    ["foo=bar; max-age=60", "foo1=bar; max-age=60", "foo=differentvalue; max-age=0"],
    "foo1=bar",
  ],
  [
    "mozilla0010",
    [
      "foo=bar; max-age=60",
      "foo1=bar; max-age=60",
      "foo=other; max-age=0",
      "foo2=other; max-age=0",
    ],
    "foo1=bar",
  ],
  [
    "mozilla0011",
    "test=parser; domain=.parser.test; ;; ;=; ,,, ===,abc,=; abracadabra! max-age=20;=;;",
    NONE,
  ],
  [
    "mozilla0012",
    ['test="fubar! = foo;bar\\";" parser; max-age=6', "five; max-age=2.63,"],
    'test="fubar! = foo',
  ],
  ["mozilla0013", ["test=kill; max-age=0", "five; max-age=0"], NONE],
  ["mozilla0014", "six", NONE],
  ["mozilla0015", ["six", "seven"], NONE],
  ["mozilla0016", ["six", "seven", " =eight"], NONE],
  ["mozilla0017", ["six", "seven", " =eight", "test=six"], "test=six"],
];

/** name0001 to name0016: what a name may be. */
const NAMES = [
  ...["a", "1", "$", "!a", "@a", "#a", "$a", "%a", "^a", "&a", "*a", "(a", ")a", "-a", "_a", "+"],
]
  .map((name, at): Row => [`name${String(at + 1).padStart(4, "0")}`, `${name}=bar`, `${name}=bar`]);

const NAMES_AND_VALUES: readonly Row[] = [
  ...NAMES,
  ["name0017", "=a=bar", NONE],
  ["name0018", "a =bar", "a=bar"],
  ["name0019", '"a=bar', '"a=bar'],
  ["name0020", '"a=b"=bar', '"a=b"=bar'],
  ["name0021", ['"a=b"=bar', '"a=qux'], '"a=qux'],
  ["name0022", "   foo=bar", FOO],
  ["name0023", "foo;bar=baz", NONE],
  ["name0024", "$Version=1; foo=bar", "$Version=1"],
  ["name0025", "===a=bar", NONE],
  ["name0026", "foo=bar    ", FOO],
  ["name0027", "foo=bar    ;", FOO],
  ["name0028", "=a", NONE],
  ["name0029", "=", NONE],
  ["name0030", "foo bar=baz", "foo bar=baz"],
  ["name0031", '"foo;bar"=baz', NONE],
  ["name0032", ['"foo\\"bar', '"foo\\"bar;baz"=qux'], NONE],
  ["name0033", ["=foo=bar", "aaa"], NONE],
  ["value0001", "foo=  bar", FOO],
  ["value0002", 'foo="bar"', 'foo="bar"'],
  ["value0003", 'foo="  bar "', 'foo="  bar "'],
  ["value0004", 'foo="bar;baz"', 'foo="bar'],
  ["value0005", 'foo="bar=baz"', 'foo="bar=baz"'],
  ["value0006", "   foo     =       bar             ;       ttt", FOO],
];

export const COOKIE_CASES: readonly CookieCase[] = [
  ...GENERAL,
  ...ATTRIBUTES,
  ...BROWSERS,
  ...NAMES_AND_VALUES,
  ...DOMAINS,
  ...PATHS,
].map(([name, set, sent, to = RESULT]) => ({ name, set: [set].flat(), sent, to }));
