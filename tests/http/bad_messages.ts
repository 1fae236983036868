/**
 * Bad answers as they stand on the wire, one character an octet, by the reason that they are broken for.
 * A ▸ stands before the first wrong octet. Where it can be, the rest is such that a more lenient reader
 * would find a whole answer, so that Node's parser can be asked, too.
 */
import type { ProtocolError } from "../../base/http/reason.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const EMPTY = "Content-Length: 0\r\n\r\n";
const INTERIM = "HTTP/1.1 100 Continue\r\n\r\n";
const UPGRADE = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";

const BAD: Readonly<Partial<Record<ProtocolError, Readonly<Record<string, string>>>>> = {
  "not HTTP/1.0 or HTTP/1.1": {
    "another protocol": "▸SSH-2.0-x\r\n\r\n",
    "a name in lower case": `▸http/1.1 200 OK\r\n${EMPTY}`,
    "HTTP/2": `HTTP/▸2.0 200 OK\r\n${EMPTY}`,
    "a version that is no number": `HTTP/1.▸/ 200 OK\r\n${EMPTY}`,
    "HTTP/1.2": `HTTP/1.▸2 200 OK\r\n${EMPTY}`,
    "a space before the status line": `▸ ${OK}${EMPTY}`,
    "an empty line before the status line": `▸\r\n${OK}${EMPTY}`,
    "a page without a head": "▸<html>hello</html>\r\n\r\n",
    "a stream of SHOUTcast": `▸ICY 200 OK\r\n${EMPTY}`,
    "the preface of HTTP/2": "▸PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a byte order mark": `▸\xef\xbb\xbf${OK}${EMPTY}`,
    "a version with a leading zero": `HTTP/▸01.1 200 OK\r\n${EMPTY}`,
    "a version without a point": `HTTP/1▸1 200 OK\r\n${EMPTY}`,
    "chunks without a head": "▸5\r\nhello\r\n0\r\n\r\n",
  },
  "TLS in place of HTTP: write https:// or wss://": {
    "an alert": "▸\x15\x03\x01\x00\x02\x02\x46",
    "a handshake": "▸\x16\x03\x03\x00\x04",
  },
  "HTTP/2 in place of HTTP/1.1: use --http2, or http2: true": {
    "SETTINGS without any": "▸\x00\x00\x00\x04\x00\x00\x00\x00\x00",
    "SETTINGS": "▸\x00\x00\x12\x04\x00\x00\x00\x00\x00",
  },
  "malformed status line": {
    "HTTP/1.10": `HTTP/1.1▸0 200 OK\r\n${EMPTY}`,
    "two spaces before the status": `HTTP/1.1 ▸ 200 OK\r\n${EMPTY}`,
    "a tab before the status": `HTTP/1.1▸\t200 OK\r\n${EMPTY}`,
    "a status of two digits": `HTTP/1.1 20▸ OK\r\n${EMPTY}`,
    "a status of four digits": `HTTP/1.1 200▸0 OK\r\n${EMPTY}`,
    "a status that is no number": `HTTP/1.1 2▸x0 OK\r\n${EMPTY}`,
    "a status below 100": `HTTP/1.1 ▸099 OK\r\n${EMPTY}`,
    "a control character in the reason phrase": `HTTP/1.1 200 O▸\0K\r\n${EMPTY}`,
    "no space before the status": `HTTP/1.1▸200 OK\r\n${EMPTY}`,
    "a signed status": `HTTP/1.1 ▸+20 OK\r\n${EMPTY}`,
    "a tab after the status": `HTTP/1.1 200▸\tOK\r\n${EMPTY}`,
    "a status of digits that are not ASCII": `HTTP/1.1 ▸\xb2\xb9\xb3 OK\r\n${EMPTY}`,
    "a colour in the reason phrase": `HTTP/1.1 200 ▸\x1b[31mOK\r\n${EMPTY}`,
    "a DEL in the reason phrase": `HTTP/1.1 200 O▸\x7fK\r\n${EMPTY}`,
  },
  "line end without CR": {
    "a bare LF after the status line": `HTTP/1.1 200 OK▸\n${EMPTY}`,
    "a bare LF after the status": `HTTP/1.1 200▸\n${EMPTY}`,
    "a bare LF after a field": `${OK}A: b▸\n${EMPTY}`,
    "a bare LF after the length": `${OK}Content-Length: 0▸\n\r\n`,
    "a bare LF after the coding": `${OK}Transfer-Encoding: chunked▸\n\r\n0\r\n\r\n`,
    "a bare LF at the end of the head": `${OK}Content-Length: 0\r\n▸\n`,
    "a bare LF after a chunk size": `${CHUNKED}1▸\na\r\n0\r\n\r\n`,
    "a bare LF after an extension": `${CHUNKED}1;a▸\na\r\n0\r\n\r\n`,
    "a bare LF after the trailers": `${CHUNKED}0\r\nA: b\r\n▸\n`,
  },
  "CR without LF": {
    "a bare CR after the status line": `HTTP/1.1 200 OK\r▸${EMPTY}`,
    "a bare CR after a field": `${OK}A: b\r▸${EMPTY}`,
    "a bare CR within a value": `${OK}A: b\r▸c\r\n${EMPTY}`,
    "a bare CR at the end of the head": `${OK}Content-Length: 1\r\n\r▸x`,
    "a bare CR after a chunk size": `${CHUNKED}1\r▸a\r\n0\r\n\r\n`,
    "a bare CR after a chunk": `${CHUNKED}1\r\na\r▸0\r\n\r\n`,
  },
  "malformed field name": {
    "a space before the colon": `${OK}Content-Length▸ : 0\r\n\r\n`,
    "a tab before the colon": `${OK}A▸\t: b\r\n${EMPTY}`,
    "a line without a colon": `${OK}nonsense▸\r\n${EMPTY}`,
    "a field without a name": `${OK}▸: b\r\n${EMPTY}`,
    "a name with a space in it": `${OK}A▸ B: c\r\n${EMPTY}`,
    "a name in brackets": `${OK}▸(A): b\r\n${EMPTY}`,
    "a name that isn't ASCII": `${OK}A▸\xe9: b\r\n${EMPTY}`,
    "a malformed trailer": `${CHUNKED}0\r\nbad▸ trailer\r\n\r\n`,
    "a NUL in a name": `${OK}A▸\0: b\r\n${EMPTY}`,
    "a DEL in a name": `${OK}A▸\x7f: b\r\n${EMPTY}`,
    "a quote in a name": `${OK}A▸"B: c\r\n${EMPTY}`,
    "an equals sign for the colon": `${OK}A▸=b\r\n${EMPTY}`,
    "a status line among the fields": `${OK}HTTP▸/1.1 200 OK\r\n${EMPTY}`,
    "a trailer without a name": `${CHUNKED}0\r\n▸: b\r\n\r\n`,
  },
  "folded field line": {
    "a folded value": `${OK}A: b\r\n▸ c\r\n${EMPTY}`,
    "a value folded by a tab": `${OK}A: b\r\n▸\tc\r\n${EMPTY}`,
    "a folded empty value": `${OK}A:\r\n▸ c\r\n${EMPTY}`,
    "a folded length": `${OK}Content-Length: 0\r\n▸ \r\n\r\n`,
    "a space before the first field": `${OK}▸ ${EMPTY}`,
    "a folded trailer": `${CHUNKED}0\r\nA: b\r\n▸ c\r\n\r\n`,
  },
  "malformed field value": {
    "a NUL in a value": `${OK}A: b▸\0c\r\n${EMPTY}`,
    "a DEL in a value": `${OK}A: b▸\x7fc\r\n${EMPTY}`,
    "a control character in an option": `${OK}Connection: keep▸\x01alive\r\n${EMPTY}`,
    "a colour in a value": `${OK}A: b▸\x1b[31m\r\n${EMPTY}`,
    "a form feed in a value": `${OK}A: b▸\x0cc\r\n${EMPTY}`,
    "a NUL in a trailer": `${CHUNKED}0\r\nA: b▸\0\r\n\r\n`,
  },
  "malformed content-length": {
    "an empty length": `${OK}Content-Length: ▸\r\n\r\n`,
    "a signed length": `${OK}Content-Length: ▸+0\r\n\r\n`,
    "a negative length": `${OK}Content-Length: ▸-1\r\n\r\n`,
    "a hexadecimal length": `${OK}Content-Length: 0▸x0\r\n\r\n`,
    "a fractional length": `${OK}Content-Length: 0▸.0\r\n\r\n`,
    "a length with a space in it": `${OK}Content-Length: 0 ▸0\r\n\r\n`,
    "a list of lengths with a hole": `${OK}Content-Length: 0,▸,0\r\n\r\n`,
    "a list of lengths that ends with a comma": `${OK}Content-Length: 0,▸\r\n\r\n`,
    "a list of lengths that begins with a comma": `${OK}Content-Length: ▸,0\r\n\r\n`,
    "a length with an exponent": `${OK}Content-Length: 0▸e1\r\n\r\n`,
    "a length with an underscore": `${OK}Content-Length: 0▸_0\r\n\r\n`,
    "a length in quotes": `${OK}Content-Length: ▸"0"\r\n\r\n`,
    "a length of digits that are not ASCII": `${OK}Content-Length: ▸\xb2\r\n\r\n`,
  },
  "content-length too large": {
    "a length beyond counting": `${OK}Content-Length: 99999999999999999999▸\r\n\r\n`,
  },
  "conflicting content-lengths": {
    "a list of lengths that differ": `${OK}Content-Length: 0, 1▸\r\n\r\nx`,
    "two lengths that differ": `${OK}Content-Length: 0\r\nContent-Length: 1▸\r\n\r\nx`,
  },
  "both transfer-encoding and content-length": {
    "a length and chunks": `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n▸0\r\n\r\n`,
    "chunks and a length": `${OK}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n▸0\r\n\r\n`,
  },
  "malformed transfer-encoding": { "an empty coding": `${OK}Transfer-Encoding: ▸\r\n\r\n` },
  "a switch of protocols (101) that no request asked for": {
    "a protocol switch": `${UPGRADE}▸${OK}${EMPTY}`,
  },
  "more than 20 interim responses, the limit": {
    "interim answers for ever": `${INTERIM.repeat(21)}▸${OK}${EMPTY}`,
  },
  "malformed chunk size": {
    "no chunk size": `${CHUNKED}▸\r\n\r\n0\r\n\r\n`,
    "a chunk size that is no number": `${CHUNKED}▸xyz\r\n0\r\n\r\n`,
    "a signed chunk size": `${CHUNKED}▸+1\r\na\r\n0\r\n\r\n`,
    "a chunk size with a prefix": `${CHUNKED}0▸x1\r\na\r\n0\r\n\r\n`,
    "a space before a chunk size": `${CHUNKED}▸ 1\r\na\r\n0\r\n\r\n`,
    "a space after a chunk size": `${CHUNKED}1▸ \r\na\r\n0\r\n\r\n`,
    "a chunk size below zero": `${CHUNKED}▸-1\r\na\r\n0\r\n\r\n`,
    "a chunk size with an underscore": `${CHUNKED}1▸_0\r\na\r\n0\r\n\r\n`,
    "a chunk size with a point": `${CHUNKED}1▸.0\r\na\r\n0\r\n\r\n`,
    "a chunk size in quotes": `${CHUNKED}▸"1"\r\na\r\n0\r\n\r\n`,
  },
  "chunk size too large": {
    "a chunk size beyond counting": `${CHUNKED}2000000000000▸0\r\n`,
    "a chunk size of all ones": `${CHUNKED}fffffffffffff▸fff\r\na\r\n0\r\n\r\n`,
  },
  "malformed chunk extension": {
    "a control character in an extension": `${CHUNKED}1;a▸\0\r\na\r\n0\r\n\r\n`,
    "a semicolon without an extension": `${CHUNKED}1;▸\r\na\r\n0\r\n\r\n`,
    "an extension without a name": `${CHUNKED}1;▸=b\r\na\r\n0\r\n\r\n`,
    "a second semicolon without an extension": `${CHUNKED}1;a=b;▸\r\na\r\n0\r\n\r\n`,
    "a space for the name of an extension": `${CHUNKED}1; ▸\r\na\r\n0\r\n\r\n`,
    "a semicolon in the last chunk without an extension": `${CHUNKED}1\r\na\r\n0;▸\r\n\r\n`,
    "a quoted value without end": `${CHUNKED}1;a="b▸\r\na\r\n0\r\n\r\n`,
  },
  "chunk longer than its size": {
    "a chunk longer than its size": `${CHUNKED}1\r\na▸b\r\n0\r\n\r\n`,
    "a bare LF after a chunk": `${CHUNKED}1\r\na▸\n0\r\n\r\n`,
  },
};

export interface BadMessage {
  readonly what: string;
  readonly wire: string;
  /** Octets before the first wrong one. */
  readonly right: number;
  readonly reason: string;
}

export const BAD_MESSAGES: readonly BadMessage[] = Object.entries(BAD).flatMap(([reason, rows]) =>
  Object.entries(rows).map(([what, marked]) => ({
    what,
    wire: marked.replace("▸", ""),
    right: marked.indexOf("▸"),
    reason,
  }))
);
