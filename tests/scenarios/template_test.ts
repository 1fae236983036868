import assert from "node:assert/strict";
import fc from "fast-check";
import type { WireRequest } from "../../base/http/request.ts";
import { filledToSend, fillTemplate, namesIn } from "../../scenarios/request/template.ts";
import { forAll } from "../for_all.ts";

function wireOf(changes: Partial<WireRequest>): WireRequest {
  return { method: "POST", path: "/", headers: {}, body: null, ...changes };
}

const JSON_TYPE = { "Content-Type": "application/json; charset=utf-8" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

const filled: [
  sentence: string,
  wire: Partial<WireRequest>,
  value: string,
  result: Partial<WireRequest>,
][] = [
  ["in a path", { path: "/a/{{v}}/b?c={{ v }}" }, "7", { path: "/a/7/b?c=7" }],
  ["in a path, percent-encoded", { path: "/a?b={{v}}" }, "x y/é?&#", {
    path: "/a?b=x%20y%2F%C3%A9%3F%26%23",
  }],
  ["for a whole path, as it is", { path: "{{v}}" }, "/a/b?c=d", { path: "/a/b?c=d" }],
  ["at the start of a path, as it is", { path: "{{ v }}/x" }, "/a/b", { path: "/a/b/x" }],
  ["for a path that was an address, without its origin", { path: "{{v}}" }, "http://h:1/a?b#c", {
    path: "/a?b",
  }],
  ["for a path that lacks its slash, with it", { path: "{{v}}" }, "a", { path: "/a" }],
  ["for a path that is none, as none", { path: "{{v}}" }, "http://", { path: "/" }],
  ["for an address that has no path, as none", { path: "{{v}}" }, "javascript:a b", { path: "/" }],
  ["in a header", { headers: { a: "Bearer {{ v }}" } }, "t", { headers: { a: "Bearer t" } }],
  ["in a header, without a second header", { headers: { a: "{{v}}" } }, "t\r\nb: c\0", {
    headers: { a: "tb: c" },
  }],
  ["in a header, without what is beyond Latin-1", { headers: { a: "{{v}}" } }, "é€", {
    headers: { a: "é" },
  }],
  ["in a body of text, as it is", { body: "{{v}}-{{ v }}" }, '"\n€', { body: '"\n€-"\n€' }],
  ["in JSON, escaped", { headers: JSON_TYPE, body: '{"a":"{{v}}"}' }, '"\n\\€', {
    headers: JSON_TYPE,
    body: '{"a":"\\"\\n\\\\€"}',
  }],
  ["in a form, percent-encoded", { headers: FORM_TYPE, body: "a={{v}}" }, "b&c=d", {
    headers: FORM_TYPE,
    body: "a=b%26c%3Dd",
  }],
  ["nowhere else", { body: "{v} {{w}} {{}} {{ {v} }}" }, "7", { body: "{v} {{w}} {{}} {{ {v} }}" }],
  ["once, though it looks like a name", { body: "{{v}}" }, "{{v}}", { body: "{{v}}" }],
  ["with signs that mean something to replace", { body: "{{v}}" }, "$&$1", { body: "$&$1" }],
];

for (const [sentence, wire, value, result] of filled) {
  Deno.test(`a value is filled in ${sentence}`, () => {
    assert.deepEqual(fillTemplate(wireOf(wire), new Map([["v", value]])), wireOf(result));
  });
}

Deno.test("a name without a value stays, and can be filled later", () => {
  const wire = wireOf({ path: "{{ address }}/{{ user }}", body: "{{ w }}" });
  const once = fillTemplate(wire, new Map([["user", "a b"]]));
  const twice = fillTemplate(wire, new Map([["address", "http://h/x"]]));
  assert.equal(once.body, "{{ w }}");
  assert.equal(fillTemplate(once, new Map([["address", "http://h/x"]])).path, "/x/a%20b");
  assert.equal(filledToSend(twice, new Map([["user", "a b"]])).path, "/x/a%20b");
});

Deno.test("a name that has no value when the request is sent is text, which a path holds percent-encoded", () => {
  const written = "{{ größe}}{{\r\nw}}";
  const wire = wireOf({ path: `/${written}`, headers: { a: "{{ w }}" }, body: written });
  const path = "/{{%20gr%C3%B6%C3%9Fe}}{{%0D%0Aw}}";
  assert.deepEqual(filledToSend(wire, new Map()), { ...wire, path });
  assert.equal(filledToSend(wireOf({ path: "{{ w }}" }), new Map()).path, "/%7B%7B%20w%20%7D%7D");
});

Deno.test("a request needs the names in its path, header values and body, each once", () => {
  const wire = wireOf({
    path: "/{{ a }}",
    headers: { "{{no}}": "{{row.first name}} {{a}}" },
    body: "{{ имя }}{{b",
  });
  assert.deepEqual(namesIn(wire), ["a", "row.first name", "имя"]);
});

/** Also with half characters. */
const anyText = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes));

Deno.test("no value makes a line of the head into another, whatever it is", () => {
  const wire = wireOf({ path: "/{{v}}?{{v}}", headers: { a: "b {{v}}" } });
  const whole = wireOf({ path: "{{v}}" });
  forAll([anyText], (value) => {
    const values = new Map([["v", value]]);
    const { path, headers } = fillTemplate(wire, values);
    for (const each of [path, fillTemplate(whole, values).path]) {
      assert.match(each, /^\/[\x21-\x7e]*$/);
    }
    assert.match(headers.a, /^b [\t\x20-\x7e\x80-\xff]*$/);
  }, { seed: 3, numRuns: 500 });
});

Deno.test("JSON stays JSON, with the value as it was", () => {
  const wire = wireOf({ headers: JSON_TYPE, body: '{"a":"{{v}}"}' });
  forAll([anyText], (value) => {
    const { body } = fillTemplate(wire, new Map([["v", value]]));
    assert.deepEqual(JSON.parse(String(body)), { a: value });
  }, { seed: 4, numRuns: 200 });
});
