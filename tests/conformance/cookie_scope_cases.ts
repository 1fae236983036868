/** The cases of RFC 6265's test suite for what goes to which domain and path; `cookie_cases.ts` has the others. */

export const FOO = "foo=bar";
export const NONE = "";
export const RESULT = "/cookie-parser-result";

/** Name, lines, what is sent, and the path when it is not the usual one. */
export type Row = readonly [
  name: string,
  set: readonly string[] | string,
  sent: string,
  to?: string,
];

/** What may be set for `home.example.org`, by itself. */
export const DOMAINS: readonly Row[] = [
  ["domain0001", "foo=bar; domain=home.example.org", FOO],
  ["domain0003", "foo=bar; domain=.home.example.org", FOO],
  ["domain0008", "foo=bar; domain=.example.org", FOO],
  ["domain0009", "foo=bar; domain=example.org", FOO],
  ["domain0010", "foo=bar; domain=..home.example.org", NONE],
  ["domain0011", "foo=bar; domain=home..example.org", NONE],
  ["domain0012", "foo=bar; domain=  .home.example.org", FOO],
  ["domain0013", "foo=bar; domain=  .  home.example.org", NONE],
  ["domain0014", "foo=bar; domain=home.example.org.", NONE],
  ["domain0015", "foo=bar; domain=home.example.org..", NONE],
  ["domain0016", "foo=bar; domain=home.example.org .", NONE],
  ["domain0018", "foo=bar; domain=.org.", NONE],
  [
    "domain0019",
    ["foo=bar; domain=home.example.org", "foo2=bar2; domain=.home.example.org"],
    "foo=bar; foo2=bar2",
  ],
  [
    "domain0020",
    ["foo2=bar2; domain=.home.example.org", "foo=bar; domain=home.example.org"],
    "foo2=bar2; foo=bar",
  ],
  ["domain0021", 'foo=bar; domain="home.example.org"', NONE],
  [
    "domain0022",
    ["foo=bar; domain=home.example.org", "foo2=bar2; domain=.example.org"],
    "foo=bar; foo2=bar2",
  ],
  [
    "domain0023",
    ["foo2=bar2; domain=.example.org", "foo=bar; domain=home.example.org"],
    "foo2=bar2; foo=bar",
  ],
  ["domain0026", "foo=bar; domain=home.eXaMpLe.org", FOO],
  ["domain0027", "foo=bar; domain=home.example.org:8888", NONE],
  ["domain0034", "foo=bar; domain=home.example.org; domain=home.example.com", NONE],
  ["domain0035", "foo=bar; domain=home.example.com; domain=home.example.org", FOO],
  [
    "domain0036",
    "foo=bar; domain=home.example.org; domain=home.example.com; domain=home.example.org",
    FOO,
  ],
  [
    "domain0037",
    "foo=bar; domain=home.example.com; domain=home.example.org; domain=home.example.com",
    NONE,
  ],
  ["domain0038", "foo=bar; domain=home.example.org; domain=home.example.org", FOO],
  ["domain0039", "foo=bar; domain=home.example.org; domain=example.org", FOO],
  ["domain0040", "foo=bar; domain=example.org; domain=home.example.org", FOO],
  ["optional-domain0030", "foo=bar; domain=", FOO],
  ["optional-domain0041", "foo=bar; domain=example.org; domain=", FOO],
];

export const PATHS: readonly Row[] = [
  [
    "ordering0001",
    [
      ...["key=val0;", "key=val1; path=/cookie-parser-result", "key=val2; path=/"],
      ...["key=val3; path=/bar", "key=val4; domain=.example.org"],
      "key=val5; domain=.example.org; path=/cookie-parser-result/foo",
    ],
    "key=val5; key=val1; key=val2; key=val4",
    `${RESULT}/foo/baz`,
  ],
  ["path0001", ["a=b; path=/", "x=y; path=/cookie-parser-result"], "x=y; a=b"],
  ["path0002", ["a=b; path=/cookie-parser-result", "x=y; path=/"], "a=b; x=y"],
  ["path0003", ["x=y; path=/", "a=b; path=/cookie-parser-result"], "a=b; x=y"],
  ["path0004", ["x=y; path=/cookie-parser-result", "a=b; path=/"], "x=y; a=b"],
  ["path0005", "foo=bar; path=/cookie-parser-result/foo", NONE],
  ["path0006", [FOO, "foo=qux; path=/cookie-parser-result/foo"], FOO],
  ["path0007", "foo=bar; path=/cookie-parser-result/foo", FOO, `${RESULT}/foo`],
  ["path0008", "foo=bar; path=/cookie-parser-result/foo", NONE, `${RESULT}/bar`],
  ["path0009", "foo=bar; path=/cookie-parser-result/foo/qux", NONE, `${RESULT}/foo`],
  ["path0010", "foo=bar; path=/cookie-parser-result/foo/qux", FOO, `${RESULT}/foo/qux`],
  ["path0011", "foo=bar; path=/cookie-parser-result/foo/qux", NONE, `${RESULT}/bar/qux`],
  ["path0012", "foo=bar; path=/cookie-parser-result/foo/qux", NONE, `${RESULT}/foo/baz`],
  ["path0013", "foo=bar; path=/cookie-parser-result/foo/qux/", NONE, `${RESULT}/foo/baz`],
  ["path0014", "foo=bar; path=/cookie-parser-result/foo/qux/", NONE, `${RESULT}/foo/qux`],
  ["path0015", "foo=bar; path=/cookie-parser-result/foo/qux/", FOO, `${RESULT}/foo/qux/`],
  ["path0016", "foo=bar; path=/cookie-parser-result/foo/", FOO, `${RESULT}/foo/qux`],
  ["path0017", "foo=bar; path=/cookie-parser-result/foo/", FOO, `${RESULT}/foo//qux`],
  ["path0018", "foo=bar; path=/cookie-parser-result/foo/", NONE, `${RESULT}/fooqux`],
  ["path0019", "foo=bar; path", FOO],
  ["path0020", "foo=bar; path=", FOO],
  ["path0021", "foo=bar; path=/", FOO],
  ["path0022", "foo=bar; path= /", FOO],
  ["path0023", "foo=bar; Path=/cookie-PARSER-result", NONE],
  ["path0024", "foo=bar; path=/cookie-parser-result/foo/qux?", NONE, `${RESULT}/foo/qux`],
  ["path0025", "foo=bar; path=/cookie-parser-result/foo/qux#", NONE, `${RESULT}/foo/qux`],
  ["path0026", "foo=bar; path=/cookie-parser-result/foo/qux;", FOO, `${RESULT}/foo/qux`],
  ["path0027", 'foo=bar; path="/cookie-parser-result/foo/qux;"', FOO, `${RESULT}/foo/qux`],
  ["path0028", "foo=bar; path=/cookie-parser-result/f%6Fo/bar", NONE, `${RESULT}/foo/bar`],
  ["path0029", [
    "a=b;       path    =       /cookie-parser-result   ",
    "x=y;       path    =       /book   ",
  ], "a=b"],
  ["path0030", "foo=bar; path=/dog; path=", FOO],
  ["path0031", "foo=bar; path=; path=/dog", NONE],
  [
    "path0032",
    ["foo=bar; path=/cookie-parser-result", "foo=qux; path=/cookie-parser-result/"],
    "foo=qux; foo=bar",
    `${RESULT}/dog`,
  ],
];
