/**
 * What this machine says of itself, where Plateau may ask. What only renders, compares or checks files works with few
 * permissions, and must not stop to ask for these (docs/permissions.md).
 */

/** A variable that is set. */
export function variable(name: string): string | undefined {
  return isGranted({ name: "env", variable: name }) ? Deno.env.get(name) : undefined;
}

/** "" where it is not to be known. */
export function hostname(): string {
  return isGranted({ name: "sys", kind: "hostname" }) ? Deno.hostname() : "";
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}
