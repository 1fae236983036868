/** The closed list of ways in which a request can end in an error. */
export const ERRORS = ["connect", "timeout", "reset", "closed", "protocol", "tls", "dns"] as const;

export type ErrorKind = (typeof ERRORS)[number];
