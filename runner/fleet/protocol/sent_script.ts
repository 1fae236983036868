/**
 * A script in the form that a fleet's job contains: it has the types of gRPC calls only once, however many requests
 * need them, and each request refers to its types by index.
 */
import type { MessageTypes, RootType } from "../../../base/grpc/message_types.ts";
import {
  type ReadyCall,
  type Script,
  type ScriptCall,
  type ScriptOf,
  type ScriptRequest,
  withRequests,
} from "../../../scenarios/request/script.ts";

interface SentRoot {
  readonly name: string;
  /** Index into the script's `types`. */
  readonly types: number;
}

interface SentRequest extends Omit<ScriptRequest, "call"> {
  readonly call?: Pick<ScriptCall, "method" | "compress"> & {
    readonly ready: Pick<ReadyCall, "isUnary" | "deadlineMs"> & {
      readonly input?: SentRoot;
      readonly output?: SentRoot;
    };
  };
}

export type SentScript = ScriptOf<SentRequest> & {
  /** Absent if no request needs types. */
  readonly types?: readonly MessageTypes[];
};

/**
 * The script in the form that is sent, without its tables, because the coordinator works out which row is sent when.
 * @param script A script whose gRPC calls are ready.
 */
export function sentScript({ tables: _, ...script }: Script): SentScript {
  const places = new Map<MessageTypes, number>();
  const placed = ({ name, types }: RootType): SentRoot => {
    const at = places.get(types) ?? places.size;
    places.set(types, at);
    return { name, types: at };
  };
  const sent = ({ call, ...request }: ScriptRequest): SentRequest => {
    if (call === undefined) return request;
    const { method, compress, ready } = call;
    if (ready === undefined) throw new Error(`The call of ${method} is not ready`);
    const { input, output, ...plain } = ready;
    return {
      ...request,
      call: {
        ...{ method, ...compress && { compress } },
        ready: {
          ...plain,
          ...input && { input: placed(input) },
          ...output && { output: placed(output) },
        },
      },
    };
  };
  const own = withRequests(script, sent);
  return places.size === 0 ? own : { ...own, types: [...places.keys()] };
}

/** The script that was sent; null if a request refers to types that are missing. */
export function receivedScript({ types = [], ...script }: SentScript): Script | null {
  let isWhole = true;
  const found = ({ name, types: at }: SentRoot): RootType => {
    isWhole &&= at < types.length;
    return { name, types: types[at] };
  };
  const received = ({ call, ...request }: SentRequest): ScriptRequest => {
    if (call === undefined) return request;
    const { input, output, ...ready } = call.ready;
    return {
      ...request,
      call: {
        ...call,
        ready: {
          ...ready,
          ...input && { input: found(input) },
          ...output && { output: found(output) },
        },
      },
    };
  };
  const own = withRequests(script, received);
  return isWhole ? own : null;
}
