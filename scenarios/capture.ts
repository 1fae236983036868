/** Values taken from an answer, for the requests after it. */

export interface CaptureSpec {
  /** The name that the value gets. */
  readonly as: string;
  /** Members and indexes from the top of a JSON body; a header's name; or a pattern with one group over the body. */
  readonly from:
    | { readonly kind: "json"; readonly path: readonly string[] }
    | { readonly kind: "header"; readonly name: string }
    | { readonly kind: "pattern"; readonly source: string };
}
