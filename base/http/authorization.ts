/** @param credentials User and password with a colon between them (RFC 7617). */
export function basicAuthorization(credentials: string): string {
  return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
}
