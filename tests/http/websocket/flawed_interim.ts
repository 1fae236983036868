/** Interim responses that break a rule of HTTP/1.1, by what is wrong with them: no 101 that follows opens a WebSocket. */
import type { ProtocolError } from "../../../base/http/reason.ts";

interface Flawed {
  readonly octets: string;
  readonly reason: ProtocolError;
}

const EARLY = "HTTP/1.1 103 Early Hints\r\n";

export const FLAWED_INTERIM: Readonly<Record<string, Flawed>> = {
  "a folded line": {
    octets: `${EARLY}Link: </a.css>;\r\n rel=preload\r\n\r\n`,
    reason: "folded field line",
  },
  "a bare LF after a field": {
    octets: `${EARLY}Link: </a.css>\n\r\n`,
    reason: "line end without CR",
  },
  "a bare LF at the end": { octets: `${EARLY}\n`, reason: "line end without CR" },
  "a bare CR within a value": {
    octets: `${EARLY}Link: </a.\rcss>\r\n\r\n`,
    reason: "CR without LF",
  },
  "a space before the colon": {
    octets: `${EARLY}Link : </a.css>\r\n\r\n`,
    reason: "malformed field name",
  },
  "a line without a colon": {
    octets: `${EARLY}nonsense\r\n\r\n`,
    reason: "malformed field name",
  },
  "a control character in a value": {
    octets: `${EARLY}Link: \0\r\n\r\n`,
    reason: "malformed field value",
  },
  "a status of four digits": {
    octets: "HTTP/1.1 1030 Early Hints\r\n\r\n",
    reason: "malformed status line",
  },
  "a length that is no number": {
    octets: `${EARLY}Content-Length: x\r\n\r\n`,
    reason: "malformed content-length",
  },
  "a head over the limit": {
    octets: `${EARLY}Link: ${"a".repeat(70_000)}\r\n\r\n`,
    reason: "the response's head is larger than 65.5 kB, the limit",
  },
  "21 of them": {
    octets: `${EARLY}\r\n`.repeat(21),
    reason: "more than 20 interim responses, the limit",
  },
};
