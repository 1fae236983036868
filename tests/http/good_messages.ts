/**
 * Good answers as they stand on the wire, one character an octet, with a sentence each. The reader is
 * fed them in every way, and Node's parser is asked what it makes of them.
 */

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

export interface GoodMessage {
  readonly wire: string;
  /** 200 when absent. */
  readonly status?: number;
  /** Empty when absent. */
  readonly body?: string;
  /** False: the connection can't be used again. */
  readonly keepAlive?: boolean;
  /** It answers a HEAD. */
  readonly answersHead?: boolean;
  /** It ends with the connection. */
  readonly untilClose?: boolean;
}

export const GOOD: Readonly<Record<string, GoodMessage>> = {
  "a body ends after its length": { wire: `${OK}Content-Length: 5\r\n\r\nhello`, body: "hello" },
  "a length of zero is a whole answer": { wire: `${OK}Content-Length: 0\r\n\r\n` },
  "zeros may stand before a length": {
    wire: `${OK}Content-Length: 0000000000000000000000002\r\n\r\nok`,
    body: "ok",
  },
  "names are read in any case": { wire: `${OK}cOnTeNt-LeNgTh: 2\r\n\r\nok`, body: "ok" },
  "nothing need stand between colon and value": {
    wire: `${OK}Content-Length:2\r\nA:b\r\n\r\nok`,
    body: "ok",
  },
  "spaces around a value don't count": {
    wire: `${OK}Content-Length:   2  \r\nA:\t b \t\r\n\r\nok`,
    body: "ok",
  },
  "tabs around a value don't count": {
    wire: `${OK}Content-Length: \t 2 \t\r\nConnection:\tclose\t\r\n\r\nok`,
    body: "ok",
    keepAlive: false,
  },
  "a value may be empty": { wire: `${OK}A:\r\nB: \r\nContent-Length: 1\r\n\r\nx`, body: "x" },
  "a value may hold any visible octet": {
    wire: `${OK}A: ~!"#:;,\\ \xe9\xff\r\nContent-Length: 1\r\n\r\nx`,
    body: "x",
  },
  "a name may hold any octet of a token": {
    wire: `${OK}!#$%&'*+-.^_\`|~0aZ: b\r\nContent-Length: 1\r\n\r\nx`,
    body: "x",
  },
  "names that begin or end like known ones are others": {
    wire: `${OK}Content-Length-X: 9\r\nContent-Lengt: 8\r\nXContent-Length: 7\r\n` +
      `Connections: close\r\nContent-Length: 1\r\n\r\nx`,
    body: "x",
  },
  "the reason phrase may be missing": {
    wire: "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx",
    body: "x",
  },
  "the reason phrase may be empty": {
    wire: "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx",
    body: "x",
  },
  "the reason phrase may be long and not ASCII": {
    wire: "HTTP/1.1 404 Rien \xe0 voir, 200 fois\r\nContent-Length: 0\r\n\r\n",
    status: 404,
  },
  "statuses that nobody knows are read": {
    wire: "HTTP/1.1 799 ?\r\nContent-Length: 0\r\n\r\n",
    status: 799,
  },
  "a HEAD's answer has no body, whatever its length says": {
    wire: `${OK}Content-Length: 500\r\n\r\n`,
    answersHead: true,
  },
  "a HEAD's answer has no chunks": { wire: CHUNKED, answersHead: true },
  "a HEAD's answer without length leaves the connection open": {
    wire: `${OK}\r\n`,
    answersHead: true,
  },
  "204 has no body": { wire: "HTTP/1.1 204 No Content\r\n\r\n", status: 204 },
  "304 has no body, whatever its length says": {
    wire: "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n",
    status: 304,
  },
  "close ends the connection": {
    wire: `${OK}Connection: close\r\nContent-Length: 1\r\n\r\nx`,
    body: "x",
    keepAlive: false,
  },
  "close counts anywhere in the list, in any case": {
    wire: `${OK}Connection: foo, ,keep-alive,CLOSE ,bar\r\nContent-Length: 1\r\n\r\nx`,
    body: "x",
    keepAlive: false,
  },
  "close counts in any of the fields": {
    wire: `${OK}Connection: close\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx`,
    body: "x",
    keepAlive: false,
  },
  "words that only hold close don't end the connection": {
    wire: `${OK}Connection: closed, xclose, close-d, close d, clo se\r\nContent-Length: 1\r\n\r\nx`,
    body: "x",
  },
  "HTTP/1.0 ends the connection": {
    wire: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
    body: "x",
    keepAlive: false,
  },
  "HTTP/1.0 with keep-alive doesn't": {
    wire: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx",
    body: "x",
  },
  "HTTP/1.0 with a coding does, whatever it says": {
    wire: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" +
      "1\r\nx\r\n0\r\n\r\n",
    body: "x",
    keepAlive: false,
  },
  "without length or chunks the body goes on until the close": {
    wire: `${OK}Connection: keep-alive\r\n\r\nall of it`,
    body: "all of it",
    keepAlive: false,
    untilClose: true,
  },
  "a body until the close may be empty": { wire: `${OK}\r\n`, keepAlive: false, untilClose: true },
  "with a coding other than chunked last the body goes on until the close": {
    wire: `${OK}Transfer-Encoding: chunked, gzip\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    body: "1\r\nx\r\n0\r\n\r\n",
    keepAlive: false,
    untilClose: true,
  },
  "a word that only begins like chunked is another coding": {
    wire: `${OK}Transfer-Encoding: chunkedx\r\n\r\nx`,
    body: "x",
    keepAlive: false,
    untilClose: true,
  },
  "chunks are put together": { wire: `${CHUNKED}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`, body: "abcde" },
  "there may be no chunk but the last": { wire: `${CHUNKED}0\r\n\r\n` },
  "chunked counts as the last of several codings": {
    wire: `${OK}Transfer-Encoding: gzip, Chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n`,
    body: "z",
  },
  "empty elements of a list don't count": {
    wire: `${OK}Transfer-Encoding: , gzip,,chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n`,
    body: "z",
  },
  "codings may stand in two fields": {
    wire: `${OK}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n`,
    body: "z",
  },
  "chunk sizes are hexadecimal in either case, with leading zeros": {
    wire: `${CHUNKED}00A\r\n0123456789\r\n0a\r\n0123456789\r\n000\r\n\r\n`,
    body: "01234567890123456789",
  },
  "chunk data may look like framing": {
    wire: `${CHUNKED}7\r\n0\r\n\r\n\r\n\r\n0\r\n\r\n`,
    body: "0\r\n\r\n\r\n",
  },
  "chunk extensions are passed over": {
    wire: `${CHUNKED}3;a=b;c="d e";f\r\nabc\r\n0;last\r\n\r\n`,
    body: "abc",
  },
  "a quoted semicolon begins no other extension": {
    wire: `${CHUNKED}3;a=";";b="\\";"\r\nabc\r\n0\r\n\r\n`,
    body: "abc",
  },
  "chunk extensions aren't understood": {
    wire: `${CHUNKED}3;a b = c\r\nabc\r\n0\r\n\r\n`,
    body: "abc",
  },
  "trailers are passed over": {
    wire: `${CHUNKED}1\r\na\r\n0\r\nETag: x\r\nConnection: close\r\n\r\n`,
    body: "a",
  },
  "trailers don't change where the answer ends": {
    wire: `${CHUNKED}1\r\na\r\n0\r\nContent-Length: x\r\nTransfer-Encoding: gzip\r\n\r\n`,
    body: "a",
  },
  "interim answers come before the answer": {
    wire: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n" +
      `${OK}Content-Length: 1\r\n\r\nx`,
    body: "x",
  },
  "an interim answer doesn't end the connection": {
    wire: `HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n${OK}Content-Length: 1\r\n\r\nx`,
    body: "x",
  },
  "equal lengths in a list are one": { wire: `${OK}Content-Length: 2, 2\r\n\r\nok`, body: "ok" },
  "equal lengths in two fields are one": {
    wire: `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`,
    body: "ok",
  },
  "twenty interim answers are not too many": {
    wire: `${
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(20)
    }${OK}Content-Length: 1\r\n\r\nx`,
    body: "x",
  },
  "an interim answer has no chunks, whatever its coding says": {
    wire:
      `HTTP/1.1 102 Processing\r\nTransfer-Encoding: chunked\r\n\r\n${OK}Content-Length: 1\r\n\r\nx`,
    body: "x",
  },
  "204 has no chunks, whatever its coding says": {
    wire: "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
    status: 204,
  },
  "304 has no chunks, whatever its coding says": {
    wire: "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
    status: 304,
  },
  "a chunk size may have many leading zeros": {
    wire: `${CHUNKED}${"0".repeat(50)}1\r\nx\r\n${"0".repeat(50)}\r\n\r\n`,
    body: "x",
  },
  "a chunk extension may be long": {
    wire: `${CHUNKED}1;a="${"b".repeat(200)}"\r\nx\r\n0\r\n\r\n`,
    body: "x",
  },
  "twenty trailers are passed over": {
    wire: `${CHUNKED}1\r\nx\r\n0\r\n${"A: b\r\n".repeat(20)}\r\n`,
    body: "x",
  },
};
