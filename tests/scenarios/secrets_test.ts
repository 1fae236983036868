/** Which values are secret, and texts, documents and data without them. */
import assert from "node:assert/strict";
import {
  credentialsIn,
  isSecretField,
  secretsIn,
  secretsInCookies,
  secretsInWord,
} from "../../base/secret_fields.ts";
import { Secrets } from "../../base/secrets.ts";

const VALUE = "p\"&<5'é +s/7?";

function knowing(...values: (string | readonly [string, string])[]): Secrets {
  const secrets = new Secrets();
  for (const value of values) {
    if (typeof value === "string") secrets.keep(value);
    else secrets.keep(...value);
  }
  return secrets;
}

const utf8 = (text: string): string => new TextEncoder().encode(text).toBase64();

for (
  const [form, written] of [
    ["as it is", VALUE],
    ["in JSON", JSON.stringify({ a: VALUE })],
    ["in JSON within JSON", JSON.stringify({ a: JSON.stringify({ b: VALUE }) })],
    ["percent-encoded", `/a?b=${encodeURIComponent(VALUE)}`],
    [
      "percent-encoded in small letters",
      encodeURIComponent(VALUE).replaceAll(/%../g, (octet) => octet.toLowerCase()),
    ],
    ["of a form", new URLSearchParams({ a: VALUE }).toString().replaceAll("%27", "'")],
    ["in base64", utf8(VALUE)],
    ["in base64 for URLs", utf8(VALUE).replaceAll("+", "-").replaceAll("/", "_")],
    ["after one letter in base64", utf8(`u${VALUE}`)],
    ["as a password in base64", utf8(`ab:${VALUE}`)],
    ["amid others in base64", utf8(`user:${VALUE}:and more`)],
    ["in HTML", VALUE.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")],
    [
      "in XML",
      VALUE.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
        .replaceAll("'", "&apos;"),
    ],
  ]
) {
  Deno.test(`a secret is taken out ${form}`, () => {
    const shown = knowing([VALUE, "${env.V}"]).text(`before ${written} after`);
    assert.match(shown, /^before .*\$\{env\.V\}.* after$/);
    assert.ok(shown.length < written.length + 10, shown);
  });
}

/** As long as a header field may be, and in no part like another. */
const LONG = Array.from({ length: 10_000 }, (_, at) => `é${at}&`).join("").slice(0, 65_536);

for (
  const [form, written] of [
    ["as it is", LONG],
    ["in JSON", JSON.stringify(LONG).slice(1, -1)],
    ["percent-encoded", encodeURIComponent(LONG)],
    ["in base64", utf8(LONG)],
    ["as a password in base64", utf8(`ab:${LONG}`)],
  ]
) {
  Deno.test(`a secret of 65,536 characters is taken out ${form}`, () => {
    const shown = knowing(LONG).text(`before ${written} after`);
    assert.match(shown, /^before .{0,4}\[secret\].{0,4} after$/);
  });
}

Deno.test("a text that only begins like a long secret stays as it is", () => {
  const text = `${LONG.slice(0, -1)}! and ${LONG.slice(0, 100)}`;
  assert.equal(knowing(LONG).text(text), text);
});

Deno.test("ten thousand secrets are taken out of a text", () => {
  const values = Array.from({ length: 10_000 }, (_, at) => `session-${at}-of-many`);
  const secrets = knowing(...values);
  assert.equal(secrets.text(`a ${values.join(" ")} b`), `a${" [secret]".repeat(10_000)} b`);
});

Deno.test("a text that repeats the beginning of a long secret costs little, and hides too much at most", () => {
  const secrets = knowing(`${"a".repeat(30_000)}b${"a".repeat(30_000)}`);
  const shown = secrets.text(`before ${"a".repeat(10_000_000)}`);
  assert.match(shown, /^before a*\[secret\]$/);
  assert.equal(secrets.text(`before ${"a".repeat(100)}`), `before ${"a".repeat(100)}`);
});

Deno.test("of what came to light the latest is kept, and all that was given", () => {
  const secrets = knowing("given-value");
  const room = { values: 2, chars: 100 };
  const found = ["found-1", "found-2", "found-3", "found-1", "given-value", "found-4", "found-5"];
  const taken = found.map((value) => secrets.keepFound(value, room));
  assert.deepEqual(taken, found.map((value) => value !== "given-value"));
  assert.equal(
    secrets.text("given-value found-1 found-2 found-3 found-4 found-5"),
    "[secret] found-1 found-2 found-3 [secret] [secret]",
  );
  assert.ok(secrets.keepFound("x".repeat(300), room));
  assert.equal(secrets.text(`found-5 ${"x".repeat(300)}`), `found-5 ${"x".repeat(300)}`);
});

Deno.test("the longest of several that begin alike is taken out first", () => {
  const secrets = knowing(["token", "${env.A}"], ["token-2", "${env.B}"]);
  assert.equal(secrets.text("token-2 token"), "${env.B} ${env.A}");
});

Deno.test("a value of less than four characters is taken out as a word alone", () => {
  assert.equal(knowing("123").text("1234 4123 123 (123)"), "1234 4123 [secret] ([secret])");
  assert.equal(knowing("1234").text("912345"), "9[secret]5");
  assert.equal(knowing("", " ", "7", "10").text("a b 7 10"), "a b 7 10");
});

Deno.test("a text whose beginning was cut off does not begin with the end of a secret", () => {
  const secrets = knowing("a-cut-secret");
  assert.equal(secrets.cutText("t-secret and a-cut-secret"), "[secret] and [secret]");
  assert.equal(secrets.cutText("ret and more"), "ret and more");
});

Deno.test("a text that was cut out of the middle of a long secret shows nothing of it", () => {
  const secrets = knowing(LONG);
  for (const text of [LONG, utf8(LONG)]) {
    assert.equal(secrets.cutText(text.slice(1_000, 17_000)), "[secret]");
    assert.equal(secrets.cutText(`${text.slice(-16_000)} and more`), "[secret] and more");
  }
});

Deno.test("the lines of a long value are secrets, too", () => {
  const key = "-----BEGIN KEY-----\nMIIabcdefgh123\nab\n";
  assert.equal(knowing(key).text("line 2: MIIabcdefgh123, ab"), "line 2: [secret], ab");
});

Deno.test("data loses secrets in its values: not in keys, and no number changes", () => {
  const secrets = knowing("4321");
  const data = { 4321: 4321, list: ["a4321", { deep: "4321" }], none: null, is: true };
  assert.deepEqual(secrets.data(data), {
    4321: 4321,
    list: ["a[secret]", { deep: "[secret]" }],
    none: null,
    is: true,
  });
  const stored = { toJSON: () => ({ path: "4321" }) };
  assert.deepEqual(secrets.data({ stored }), { stored: { path: "[secret]" } });
});

Deno.test("a sentence keeps its words and amounts, whatever is secret, and loses all else", () => {
  const words = ["user", "a", "static", "password", "connections", "keep-alive", "30s", "2026"];
  const secrets = knowing(...words, "s3cr3t", "longpassword", "correct horse battery");
  const sentence =
    "leave out user and password: keep-alive of a static file for 30s in 2026 connections";
  assert.equal(secrets.sentence(sentence), sentence);
  assert.equal(
    secrets.sentence("not s3cr3t, longpassword, correct horse battery or czNjcjN0"),
    "not [secret], [secret], [secret] or [secret]",
  );
  assert.equal(secrets.quoted("user of static"), '"[secret] of [secret]"');
});

Deno.test("a document keeps its figures and words, whatever is secret", () => {
  const secrets = knowing("20261122", "requests", "S3cret-of-mine");
  const json = '{"requests":20261122,"x":"S3cret-of-mine"}';
  assert.equal(secrets.form(json), '{"requests":20261122,"x":"[secret]"}');
});

Deno.test("what is known for a while is forgotten, but not what was known before", () => {
  const secrets = knowing("first-one");
  {
    using _ = secrets.keepWhile([["first-one", "x"], ["second-one", "${env.S}"]]);
    assert.equal(secrets.text("first-one second-one"), "[secret] ${env.S}");
  }
  assert.equal(secrets.text("first-one second-one"), "[secret] second-one");
});

Deno.test("only the secrets that a text holds are told of it", () => {
  const secrets = knowing(["in-the-text", "${env.A}"], "not-in-it");
  assert.deepEqual(secrets.heldBy('{"a":"in-the-text"}'), [["in-the-text", "${env.A}"]]);
});

Deno.test("header fields that prove who asks are secret, others are not", () => {
  const names = ["Authorization", "proxy-authorization", "COOKIE", "x-api-key", "X-Auth-Token"];
  assert.deepEqual(names.filter((name) => !isSecretField(name)), []);
  assert.deepEqual(["accept", "cookies-allowed", "x-request-id"].filter(isSecretField), []);
});

Deno.test("cookies are secret alone where they are long, and else beside their names", () => {
  assert.deepEqual(secretsInCookies("a=0123456789; b="), ["0123456789"]);
  assert.deepEqual(secretsInCookies("a=short; b=0123456789"), [
    "a=short; b=0123456789",
    "0123456789",
  ]);
  assert.deepEqual(secretsInCookies("a=; b="), []);
});

for (
  const [name, value, found] of [
    ["authorization", "Bearer abc123", ["Bearer abc123", "abc123"]],
    ["authorization", "abc123", ["abc123"]],
    ["authorization", `Basic ${btoa("me:pass")}`, [
      `Basic ${btoa("me:pass")}`,
      btoa("me:pass"),
      "me:pass",
      "pass",
    ]],
    ["authorization", "Bearer ${env.TOKEN}", []],
    ["authorization", "Bearer {{ user.token }}", []],
    ["authorization", "Bearer part-of-it-{{ user.token }}", ["part-of-it-"]],
    ["cookie", "theme=dark; session=0123456789", ["theme=dark; session=0123456789", "0123456789"]],
    ["cookie", "a=${env.A}; session=0123456789", ["0123456789"]],
  ] as const
) {
  Deno.test(`${name}: ${value} holds ${found.length} secrets`, () => {
    assert.deepEqual(credentialsIn(name, value), found);
  });
}

Deno.test("passwords of addresses and fields are found wherever a file has them", () => {
  const data = {
    targets: { a: { command: ["x"], env: { DB: "postgres://me:s3%20cret@db/x" } } },
    scenarios: { s: { flow: [{ get: "/", headers: { "X-Api-Key": "k-1", accept: "*/*" } }] } },
    source: "see http://example.org/@somebody and a@b.c, redis://me@h, https://t0ken@h",
  };
  assert.deepEqual(secretsIn(data), ["s3%20cret", "s3 cret", "k-1", "t0ken", "t0ken"]);
});

Deno.test("variables and commands hold secrets by the names of variables and options", () => {
  const env = { PGPASSWORD: "pg-pass", API_TOKEN: "tok-123", TOKEN: "none", HOME: "/root-of-it" };
  assert.deepEqual(secretsIn({ env }), ["pg-pass", "tok-123"]);
  const steps = [
    [["mysql", "--password=my-pass", "--host=example"], ["my-pass"]],
    [["vault", "--token", "tok-456", "read"], ["tok-456"]],
    [["sh", "-c", "DB_PASSWORD='db pass' ./seed --user=me"], ["db pass"]],
    [["curl", "-u", "me:s3cret", "-H", "X-Api-Key: k-1", "{origin}"], ["k-1", "s3cret"]],
    [["sh", "-c", "psql --password=$PGPASSWORD --token {origin}"], []],
    [["./token", "password", "secretary"], []],
  ] as const;
  for (const [command, found] of steps) {
    assert.deepEqual(secretsIn({ before: [command] }), found, command.join(" "));
    assert.deepEqual(secretsIn({ setup: [{ command }] }), found, command.join(" "));
  }
});

Deno.test("passwords are looked for only where an address is, in time that grows with the text alone", () => {
  const address = "redis://me:s3cret@h";
  for (const filling of ["a://", "a:", "://", "@", "a://b:", "x".repeat(1_000)]) {
    const text = `${filling.repeat(100_000)} ${address}`;
    assert.deepEqual(new Set(secretsIn({ text })), new Set(["s3cret"]), filling);
  }
  assert.deepEqual(secretsIn(`${"y".repeat(40)}://me:s3cret@h`), ["s3cret", "s3cret"]);
  const words = "word".repeat(10_000_000);
  const startMs = performance.now();
  assert.deepEqual(secretsIn({ words }), []);
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs < 2_000, `${tookMs} ms`); // of 40 MB: each letter may begin a scheme of 31
});

Deno.test("words of a command line hold header fields and passwords", () => {
  assert.deepEqual(secretsInWord("authorization: Bearer abc"), ["Bearer abc", "abc"]);
  assert.deepEqual(secretsInWord("-Hcookie: a=12345678"), ["a=12345678", "12345678"]);
  assert.deepEqual(secretsInWord("curl -H 'Authorization: t0k' http://x/"), ["t0k"]);
  assert.deepEqual(secretsInWord("--redis=redis://:pw@host"), ["pw", "pw"]);
  for (const word of ["http://127.0.0.1:8080/", "http://h:80/a:b@c", "1m@10/s..20/s", "me@h"]) {
    assert.deepEqual(secretsInWord(word), [], word);
  }
  assert.deepEqual(secretsInWord("user:t0k@host"), ["t0k"]);
  assert.deepEqual(secretsInWord("user:t%30k@host"), ["t%30k", "t0k"]);
  assert.deepEqual(secretsInWord("http://me:p/w@host:1"), ["p/w"]);
  assert.deepEqual(secretsInWord("Bearer a-t0ken"), ["Bearer a-t0ken", "a-t0ken"]);
  assert.deepEqual(secretsInWord("curl -H 'a: b' -H 'x-api-key: t0k' h"), ["t0k"]);
  assert.deepEqual(secretsInWord("ab -P me:t0k h"), ["t0k"]);
  assert.deepEqual(secretsInWord("--proxy=http://me:p@ss@w0rd@host:3128"), [
    "p@ss@w0rd",
    "p@ss@w0rd",
  ]);
});
