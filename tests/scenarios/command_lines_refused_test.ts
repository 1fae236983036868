import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { withTranslated } from "../../scenarios/imports/command_lines/registry.ts";
import { thrown } from "../thrown.ts";

const URL = "http://127.0.0.1:8080/";

/** What no request of `bench` has, by tool and option, and what the error calls it. */
const OTHER_REQUESTS: readonly (readonly [line: string, what: string])[] = [
  ["wrk -s x.lua", "its Lua script"],
  ["wrk2 -R 100 --script=x.lua", "its Lua script"],
  ["ab -P a:b", "its user for the proxy (write --proxy http://a:b@host)"],
  ["autocannon -F {}", "a multipart form"],
  ["autocannon --har site.har", "its HAR file (plateau run FILE.har runs one)"],
  ["autocannon -I", "ids instead of [<id>]"],
  ["autocannon -b @a", "its body, because a body that begins with @ names a file in Plateau"],
  ["hey -d @a", "its body, because a body that begins with @ names a file in Plateau"],
  ["oha -Z lines", "bodies line by line (an experiment file has values for that)"],
  ["oha -F 'a=<b'", "the part a=<b of its form"],
  ["oha --rand-regex-url", "URLs that change (an experiment file has values for that)"],
  ["oha --urls-from-file", "URLs that change (an experiment file has values for that)"],
  ["oha --connect-to a:80:b:80", "another address for the host"],
  ["oha --aws-sigv4 aws:amz:a:b", "signatures of AWS"],
  [`curl -F 'a=b;type=text/plain'`, "the part a=b;type=text/plain of its form"],
  [`curl -F 'a="red; green"'`, 'the part a="red; green" of its form'],
  [`curl -F 'a="b"'`, 'the part a="b" of its form'],
  ["curl -F 'a=1;b=2'", "the part a=1;b=2 of its form"],
  ["curl -F 'a=b;filename=c'", "the part a=b;filename=c of its form"],
  ["curl -F 'a= b'", "the part a= b of its form"],
  [`curl -F 'a=@b;filename="c"'`, 'the part a=@b;filename="c" of its form'],
  ["curl -F a=@b,c", "the part a=@b,c of its form"],
  ["curl --form-string a=@b", "the part a=@b of its form"],
  ["curl --resolve -a:80:127.0.0.1", "another address for the host"],
  ["curl --connect-to a:80:b:81", "another address for the host"],
  ["curl --digest -u a:b", "its authentication"],
  ["curl -K options", "its file of options"],
  ["curl -H @fields", "its file of header fields"],
  ["curl -b jar", "its file of cookies"],
  ["curl --data-urlencode @file", "its file of data"],
  ["curl -d a=b -d @file", "its data files together with other data"],
];

for (const [options, what] of OTHER_REQUESTS) {
  Deno.test(`bench sends nothing for ${options}, whose requests are others`, () => {
    const [tool] = options.split(" ");
    const error = thrown(UserError, () => withTranslated(["--like", `${options} ${URL}`]));
    assert.deepEqual(error.problems.map(({ message }) => message), [
      `Cannot send the same requests as ${tool}: Plateau cannot take over ${what}`,
    ]);
  });
}

Deno.test("bench names all at once that its requests would lack", () => {
  const error = thrown(UserError, () => withTranslated(["--like", `curl -F a=@ --digest ${URL}`]));
  assert.equal(error.problems.length, 2);
});
