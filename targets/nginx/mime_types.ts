/** Types of files, as nginx's own mime.types has them; that file is at another place on each system. */
const TYPES: Readonly<Record<string, string>> = {
  "text/html": "html htm",
  "text/css": "css",
  "text/plain": "txt",
  "text/xml": "xml",
  "text/javascript": "js mjs",
  "text/markdown": "md",
  "application/json": "json map",
  "application/pdf": "pdf",
  "application/wasm": "wasm",
  "application/zip": "zip",
  "image/avif": "avif",
  "image/gif": "gif",
  "image/jpeg": "jpeg jpg",
  "image/png": "png",
  "image/svg+xml": "svg svgz",
  "image/webp": "webp",
  "image/x-icon": "ico",
  "font/woff": "woff",
  "font/woff2": "woff2",
  "audio/mpeg": "mp3",
  "video/mp4": "mp4",
  "video/webm": "webm",
};

export function mimeTypes(): string {
  const lines = Object.entries(TYPES).map(([type, endings]) => `    ${type} ${endings};`);
  return `types {\n${lines.join("\n")}\n  }\n  default_type application/octet-stream;`;
}
