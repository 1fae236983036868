import assert from "node:assert/strict";
import { encodeRequest } from "../../base/http/request.ts";
import { textOf } from "./feed.ts";

const PROXY = { origin: "http://h:1", authorization: "Basic eDp5" };

interface Row {
  readonly byProxy?: typeof PROXY;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly keepAlive?: boolean;
  readonly wire: string;
}

const REQUESTS: Readonly<Record<string, Row>> = {
  "a GET needs only Host": { wire: "GET /p?q=1 HTTP/1.1\r\nHost: h:1\r\n\r\n" },
  "given fields follow Host as they were given": {
    headers: { "accept": "*/*", "X-Odd": " \tb\xe9" },
    wire: "GET /p?q=1 HTTP/1.1\r\nHost: h:1\r\naccept: */*\r\nX-Odd:  \tb\xe9\r\n\r\n",
  },
  "a given Host is the only one": {
    headers: { host: "other" },
    wire: "GET /p?q=1 HTTP/1.1\r\nhost: other\r\n\r\n",
  },
  "a body is sent as UTF-8, and its length counts octets": {
    method: "POST",
    body: "hé€",
    wire: "POST /p?q=1 HTTP/1.1\r\nHost: h:1\r\nContent-Length: 6\r\n\r\nh\xc3\xa9\xe2\x82\xac",
  },
  "a GET may have a body": {
    body: "b",
    wire: "GET /p?q=1 HTTP/1.1\r\nHost: h:1\r\nContent-Length: 1\r\n\r\nb",
  },
  "an empty body has a length": {
    body: "",
    wire: "GET /p?q=1 HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n",
  },
  "a POST without a body says so": {
    method: "POST",
    wire: "POST /p?q=1 HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n",
  },
  "a DELETE without a body need not": {
    method: "DELETE",
    wire: "DELETE /p?q=1 HTTP/1.1\r\nHost: h:1\r\n\r\n",
  },
  "a given length is the only one": {
    method: "PUT",
    headers: { "content-length": "9" },
    body: "b",
    wire: "PUT /p?q=1 HTTP/1.1\r\nHost: h:1\r\ncontent-length: 9\r\n\r\nb",
  },
  "a given coding stands without a length": {
    method: "POST",
    headers: { "Transfer-Encoding": "chunked" },
    body: "0\r\n\r\n",
    wire: "POST /p?q=1 HTTP/1.1\r\nHost: h:1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  },
  "without keep-alive the server is asked to close": {
    keepAlive: false,
    wire: "GET /p?q=1 HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\n\r\n",
  },
  "a proxy is given the whole URL, and its credentials": {
    byProxy: PROXY,
    wire: "GET http://h:1/p?q=1 HTTP/1.1\r\nHost: h:1\r\nProxy-Authorization: Basic eDp5\r\n\r\n",
  },
  "given credentials for the proxy are the only ones": {
    byProxy: PROXY,
    headers: { "proxy-authorization": "Basic YTpi" },
    wire: "GET http://h:1/p?q=1 HTTP/1.1\r\nHost: h:1\r\nproxy-authorization: Basic YTpi\r\n\r\n",
  },
  "a given Connection is the only one": {
    headers: { connection: "keep-alive" },
    keepAlive: false,
    wire: "GET /p?q=1 HTTP/1.1\r\nHost: h:1\r\nconnection: keep-alive\r\n\r\n",
  },
};
for (const [sentence, row] of Object.entries(REQUESTS)) {
  Deno.test(`encodeRequest: ${sentence}`, () => {
    const { method = "GET", headers = {}, body = null, keepAlive = true, byProxy } = row;
    const request = { method, path: "/p?q=1", headers, body };
    const connection = { host: "h:1", keepAlive, ...byProxy && { byProxy } };
    assert.equal(textOf(encodeRequest(request, connection)), row.wire);
  });
}

Deno.test("encodeRequest refuses what would be another line, or is not latin-1", () => {
  const encode = (path: string, headers: Record<string, string>): unknown =>
    encodeRequest({ method: "GET", path, headers, body: null }, { host: "h", keepAlive: true });
  for (const bad of ["a\r\nB: c", "a\n", "\rb", "a\0b", "€"]) {
    assert.throws(() => encode("/", { A: bad }), /Cannot send this line of a request/);
    assert.throws(() => encode("/", { [bad]: "a" }), /Cannot send this line of a request/);
    assert.throws(() => encode(`/${bad}`, {}), /Cannot send this line of a request/);
  }
});
