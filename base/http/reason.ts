/** Every way in which a response can be broken, in the words that people read. */
export const PROTOCOL_ERRORS = [
  "closed before the response",
  "closed within the head",
  "closed within the body",
  "not HTTP/1.0 or HTTP/1.1",
  "malformed status line",
  "malformed field name",
  "malformed field value",
  "folded field line",
  "line end without CR",
  "CR without LF",
  "head over its limit",
  "chunk line or trailers over the limit",
  "malformed content-length",
  "content-length too large",
  "conflicting content-lengths",
  "malformed transfer-encoding",
  "both transfer-encoding and content-length",
  "malformed chunk size",
  "chunk size too large",
  "malformed chunk extension",
  "chunk longer than its size",
  "body too long to keep",
  "unsolicited protocol switch",
  "too many interim responses",
] as const;

export type ProtocolError = (typeof PROTOCOL_ERRORS)[number];
