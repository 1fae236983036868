/** The closed list of ways in which a request can end in an error. */
export const ERRORS = ["connect", "timeout", "reset", "closed", "protocol", "tls", "dns"] as const;

export type ErrorKind = (typeof ERRORS)[number];

/** Nothing was measured, whatever the requests waited for. A refusal or an error with a status is a response. */
export function isUnanswered(
  { requests }: { readonly requests: { readonly completed: number } },
): boolean {
  return requests.completed === 0;
}
