/** The methods of requests that scenarios, command lines and logs may have (RFC 9110 §9, RFC 5789). */
export const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"] as const;
export type Method = (typeof METHODS)[number];
