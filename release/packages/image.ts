/**
 * A container image FROM scratch, as an archive of the OCI image layout 1.0: the program, the C library that it is
 * linked with, and a user who is not root. Pure.
 */
import { type ArchiveFile, textFile } from "../archives/entry.ts";
import { gzip } from "../archives/gzip.ts";
import { tar } from "../archives/tar.ts";
import type { Platform } from "../platforms.ts";
import { LICENSE, SUMMARY, VERSION } from "../product.ts";
import { DEB_CPU } from "./deb.ts";
import { sha256 } from "./digest.ts";

/** The numbers of an unprivileged user and group, as in other images without a shell. */
const USER = "65532:65532";

export function imageName({ name }: Platform): string {
  return `plateau-${VERSION}-${name}.oci.tar`;
}

/** @param files Files with paths from the root. @param timeS Time of everything in the image, in seconds since 1970. */
export function image(
  { cpu }: Platform,
  files: readonly ArchiveFile[],
  timeS: number,
): Uint8Array {
  const layout = { timeS, folders: true };
  const layer = tar([...files, ...USERS], { ...layout, openFolder: "tmp" });
  const packed = gzip(layer);
  const created = new Date(timeS * 1000).toISOString();
  const config = json({
    created,
    architecture: DEB_CPU[cpu],
    os: "linux",
    config: {
      User: USER,
      // The program writes only to /tmp: calibrations, and results without another destination.
      Env: ["PATH=/usr/bin", "HOME=/tmp", "XDG_CACHE_HOME=/tmp"],
      Entrypoint: ["/usr/bin/plateau"],
      WorkingDir: "/tmp",
      Labels: {
        "org.opencontainers.image.title": "plateau",
        "org.opencontainers.image.description": SUMMARY,
        "org.opencontainers.image.version": VERSION,
        "org.opencontainers.image.licenses": LICENSE,
      },
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${sha256(layer)}`] },
    history: [{ created, created_by: "deno task release" }],
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: described("application/vnd.oci.image.config.v1+json", config),
    layers: [described("application/vnd.oci.image.layer.v1.tar+gzip", packed)],
  });
  const index = json({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [{
      ...described("application/vnd.oci.image.manifest.v1+json", manifest),
      platform: { architecture: DEB_CPU[cpu], os: "linux" },
      annotations: { "org.opencontainers.image.ref.name": `localhost/plateau:${VERSION}` },
    }],
  });
  return tar([
    textFile("oci-layout", JSON.stringify({ imageLayoutVersion: "1.0.0" })),
    { path: "index.json", content: index, mode: 0o644 },
    ...[config, manifest, packed].map(blob),
  ], layout);
}

/** Files that give the numeric user a name. */
const USERS: readonly ArchiveFile[] = [
  textFile(
    "etc/passwd",
    "root:x:0:0:root:/root:/sbin/nologin\nplateau:x:65532:65532::/tmp:/sbin/nologin\n",
  ),
  textFile("etc/group", "root:x:0:\nplateau:x:65532:\n"),
];

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function described(mediaType: string, content: Uint8Array): object {
  return { mediaType, digest: `sha256:${sha256(content)}`, size: content.length };
}

function blob(content: Uint8Array): ArchiveFile {
  return { path: `blobs/sha256/${sha256(content)}`, content, mode: 0o644 };
}
