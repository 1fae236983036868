/** What processes used at one moment; rates are over the interval that ends there. */
export interface ResourcePoint {
  /** Seconds since the start of the load. */
  readonly endS: number;
  /** Cores in use: 1 is one whole core. */
  readonly cpu: number;
  /** Resident memory, bytes; what processes share is counted for each. */
  readonly memory: number;
  /** Of `cpu`. What follows is absent where the system does not tell. */
  readonly user?: number;
  readonly system?: number;
  readonly threads?: number;
  /** Open files, sockets and pipes. */
  readonly files?: number;
  /** Context switches per second. */
  readonly switches?: { readonly voluntary: number; readonly involuntary: number };
}
