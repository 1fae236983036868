/** What a front of ours is: a server that answers with what it gets from others. */

export interface Front {
  fetch(request: Request): Response | Promise<Response>;
  /** Takes a line from the process that started it: `empty` to a proxy, `join ORIGIN` to a balancer. */
  tell(line: string): void;
  close(): void;
}
