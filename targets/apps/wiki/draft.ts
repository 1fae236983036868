/** What someone has written, before it is in the database. */

/** What a page is known by: links need no more. */
export interface Head {
  readonly slug: string;
  readonly section: string;
  readonly title: string;
}

export interface Draft extends Head {
  /** Markdown. */
  readonly body: string;
  readonly tags: readonly string[];
  readonly author: string;
  /** ISO 8601, in UTC. */
  readonly writtenAt: string;
}
