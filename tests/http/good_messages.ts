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

type Row = readonly [wire: string, body?: string, rest?: Omit<GoodMessage, "wire" | "body">];

const ROWS: Readonly<Record<string, Row>> = {
  "a body ends after its length": [`${OK}Content-Length: 5\r\n\r\nhello`, "hello"],
  "a length of zero is a whole answer": [`${OK}Content-Length: 0\r\n\r\n`],
  "zeros may stand before a length": [
    `${OK}Content-Length: 0000000000000000000000002\r\n\r\nok`,
    "ok",
  ],
  "names are read in any case": [`${OK}cOnTeNt-LeNgTh: 2\r\n\r\nok`, "ok"],
  "nothing need stand between colon and value": [`${OK}Content-Length:2\r\nA:b\r\n\r\nok`, "ok"],
  "spaces around a value don't count": [`${OK}Content-Length:   2  \r\nA:\t b \t\r\n\r\nok`, "ok"],
  "tabs around a value don't count": [
    `${OK}Content-Length: \t 2 \t\r\nConnection:\tclose\t\r\n\r\nok`,
    "ok",
    { keepAlive: false },
  ],
  "a value may be empty": [`${OK}A:\r\nB: \r\nContent-Length: 1\r\n\r\nx`, "x"],
  "a value may hold any visible octet": [
    `${OK}A: ~!"#:;,\\ \xe9\xff\r\nContent-Length: 1\r\n\r\nx`,
    "x",
  ],
  "a name may hold any octet of a token": [
    `${OK}!#$%&'*+-.^_\`|~0aZ: b\r\nContent-Length: 1\r\n\r\nx`,
    "x",
  ],
  "names that begin or end like known ones are others": [
    `${OK}Content-Length-X: 9\r\nContent-Lengt: 8\r\nXContent-Length: 7\r\n` +
    `Connections: close\r\nContent-Length: 1\r\n\r\nx`,
    "x",
  ],
  "the reason phrase may be missing": ["HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", "x"],
  "the reason phrase may be empty": ["HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx", "x"],
  "the reason phrase may be long and not ASCII": [
    "HTTP/1.1 404 Rien \xe0 voir, 200 fois\r\nContent-Length: 0\r\n\r\n",
    "",
    { status: 404 },
  ],
  "statuses that nobody knows are read": ["HTTP/1.1 799 ?\r\nContent-Length: 0\r\n\r\n", "", {
    status: 799,
  }],
  "a HEAD's answer has no body, whatever its length says": [
    `${OK}Content-Length: 500\r\n\r\n`,
    "",
    { answersHead: true },
  ],
  "a HEAD's answer has no chunks": [CHUNKED, "", { answersHead: true }],
  "a HEAD's answer without length leaves the connection open": [`${OK}\r\n`, "", {
    answersHead: true,
  }],
  "204 has no body": ["HTTP/1.1 204 No Content\r\n\r\n", "", { status: 204 }],
  "304 has no body, whatever its length says": [
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n",
    "",
    { status: 304 },
  ],
  "close ends the connection": [`${OK}Connection: close\r\nContent-Length: 1\r\n\r\nx`, "x", {
    keepAlive: false,
  }],
  "close counts anywhere in the list, in any case": [
    `${OK}Connection: foo, ,keep-alive,CLOSE ,bar\r\nContent-Length: 1\r\n\r\nx`,
    "x",
    { keepAlive: false },
  ],
  "close counts in any of the fields": [
    `${OK}Connection: close\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx`,
    "x",
    { keepAlive: false },
  ],
  "words that only hold close don't end the connection": [
    `${OK}Connection: closed, xclose, close-d, close d, clo se\r\nContent-Length: 1\r\n\r\nx`,
    "x",
  ],
  "HTTP/1.0 ends the connection": ["HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", "x", {
    keepAlive: false,
  }],
  "HTTP/1.0 with keep-alive doesn't": [
    "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx",
    "x",
  ],
  "HTTP/1.0 with a coding does, whatever it says": [
    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" +
    "1\r\nx\r\n0\r\n\r\n",
    "x",
    { keepAlive: false },
  ],
  "without length or chunks the body goes on until the close": [
    `${OK}Connection: keep-alive\r\n\r\nall of it`,
    "all of it",
    { keepAlive: false, untilClose: true },
  ],
  "a body until the close may be empty": [`${OK}\r\n`, "", { keepAlive: false, untilClose: true }],
  "with a coding other than chunked last the body goes on until the close": [
    `${OK}Transfer-Encoding: chunked, gzip\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    "1\r\nx\r\n0\r\n\r\n",
    { keepAlive: false, untilClose: true },
  ],
  "a word that only begins like chunked is another coding": [
    `${OK}Transfer-Encoding: chunkedx\r\n\r\nx`,
    "x",
    { keepAlive: false, untilClose: true },
  ],
  "chunks are put together": [`${CHUNKED}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`, "abcde"],
  "there may be no chunk but the last": [`${CHUNKED}0\r\n\r\n`],
  "chunked counts as the last of several codings": [
    `${OK}Transfer-Encoding: gzip, Chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n`,
    "z",
  ],
  "empty elements of a list don't count": [
    `${OK}Transfer-Encoding: , gzip,,chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n`,
    "z",
  ],
  "codings may stand in two fields": [
    `${OK}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n`,
    "z",
  ],
  "chunk sizes are hexadecimal in either case, with leading zeros": [
    `${CHUNKED}00A\r\n0123456789\r\n0a\r\n0123456789\r\n000\r\n\r\n`,
    "01234567890123456789",
  ],
  "chunk data may look like framing": [
    `${CHUNKED}7\r\n0\r\n\r\n\r\n\r\n0\r\n\r\n`,
    "0\r\n\r\n\r\n",
  ],
  "chunk extensions are passed over": [`${CHUNKED}3;a=b;c="d e";f\r\nabc\r\n0;last\r\n\r\n`, "abc"],
  "a quoted semicolon begins no other extension": [
    `${CHUNKED}3;a=";";b="\\";"\r\nabc\r\n0\r\n\r\n`,
    "abc",
  ],
  "chunk extensions aren't understood": [`${CHUNKED}3;a b = c\r\nabc\r\n0\r\n\r\n`, "abc"],
  "trailers are passed over": [
    `${CHUNKED}1\r\na\r\n0\r\nETag: x\r\nConnection: close\r\n\r\n`,
    "a",
  ],
  "trailers don't change where the answer ends": [
    `${CHUNKED}1\r\na\r\n0\r\nContent-Length: x\r\nTransfer-Encoding: gzip\r\n\r\n`,
    "a",
  ],
  "interim answers come before the answer": [
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n" +
    `${OK}Content-Length: 1\r\n\r\nx`,
    "x",
  ],
  "an interim answer doesn't end the connection": [
    `HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n${OK}Content-Length: 1\r\n\r\nx`,
    "x",
  ],
  "equal lengths in a list are one": [`${OK}Content-Length: 2, 2\r\n\r\nok`, "ok"],
  "equal lengths in two fields are one": [
    `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`,
    "ok",
  ],
  "twenty interim answers are not too many": [
    `${"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(20)}${OK}Content-Length: 1\r\n\r\nx`,
    "x",
  ],
  "an interim answer has no chunks, whatever its coding says": [
    `HTTP/1.1 102 Processing\r\nTransfer-Encoding: chunked\r\n\r\n${OK}Content-Length: 1\r\n\r\nx`,
    "x",
  ],
  "204 has no chunks, whatever its coding says": [
    "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
    "",
    { status: 204 },
  ],
  "304 has no chunks, whatever its coding says": [
    "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
    "",
    { status: 304 },
  ],
  "a chunk size may have many leading zeros": [
    `${CHUNKED}${"0".repeat(50)}1\r\nx\r\n${"0".repeat(50)}\r\n\r\n`,
    "x",
  ],
  "a chunk extension may be long": [`${CHUNKED}1;a="${"b".repeat(200)}"\r\nx\r\n0\r\n\r\n`, "x"],
  "twenty trailers are passed over": [`${CHUNKED}1\r\nx\r\n0\r\n${"A: b\r\n".repeat(20)}\r\n`, "x"],
};

export const GOOD: Readonly<Record<string, GoodMessage>> = Object.fromEntries(
  Object.entries(ROWS).map(([sentence, [wire, body, rest]]) => [sentence, { wire, body, ...rest }]),
);
