/** The methods of a connection that clients need. Deno's own connections have them. */
export interface Connection {
  /** Returns the number of bytes put into `buffer`, or null when the peer has closed its side. */
  read(buffer: Uint8Array): Promise<number | null>;
  /** Returns the number of bytes written, which may be fewer than all. */
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}
