/** `.proto` files as server reflection sends them: as descriptors, which are protobuf messages themselves. */
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor.js";
import { MessageDecoder } from "./decode_message.ts";
import type { RootType } from "./message_types.ts";
import { ProtoFile } from "./proto_file.ts";
import { LENGTH, WireWriter } from "./wire.ts";

/** The fields of google.protobuf.FileDescriptorProto that name a file and its imports. */
const FILE: RootType = {
  name: "File",
  types: {
    messages: {
      File: [
        { name: "name", json: "name", id: 1, kind: "string" },
        { name: "imports", json: "imports", id: 3, kind: "string", many: "list" },
      ],
    },
    enums: {},
  },
};

function headOf(file: string): { readonly name?: string; readonly imports?: readonly string[] } {
  return Object(new MessageDecoder(FILE).decode(Uint8Array.fromBase64(file)));
}

/** @param file The file's descriptor as base64. */
export function fileNameIn(file: string): string {
  return headOf(file).name ?? "";
}

export function importsOf(file: string): readonly string[] {
  return headOf(file).imports ?? [];
}

/**
 * The services and types of `.proto` files. Throws if a descriptor is not valid.
 * @param files Descriptor of each file, as base64. Every file that one of them imports must be among them.
 */
export function describedFiles(files: readonly string[]): ProtoFile {
  const set = new WireWriter();
  for (const file of files) {
    set.tag(1, LENGTH);
    set.bytes(Uint8Array.fromBase64(file));
  }
  const root = protobuf.Root.fromDescriptor(set.take(), { keepCase: true });
  root.resolveAll();
  return new ProtoFile("reflection", root, files.join("\n"));
}
