/**
 * A script as a job of a fleet has it: the types of calls of gRPC stand in it once, however many requests need them. Each
 * request names its types by their place.
 */
import type { MessageTypes, RootType } from "../../../base/grpc/message_types.ts";
import type {
  ReadyCall,
  Script,
  ScriptCall,
  ScriptRequest,
  ThinkStep,
} from "../../../scenarios/request/script.ts";

interface SentRoot {
  readonly name: string;
  /** Place among the types of the script. */
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

interface Types {
  /** Absent: no request needs any. */
  readonly types?: readonly MessageTypes[];
}

type Kind<K extends Script["kind"]> = Extract<Script, { kind: K }>;

export type SentScript =
  & Types
  & (
    | Omit<Kind<"requests">, "requests"> & { readonly requests: readonly SentRequest[] }
    | Omit<Kind<"flow">, "steps"> & { readonly steps: readonly (SentRequest | ThinkStep)[] }
  );

/** Without its tables: the coordinator works out which row was sent when. @param script Its calls are ready. */
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
  const own = script.kind === "requests"
    ? { ...script, requests: script.requests.map(sent) }
    : { ...script, steps: script.steps.map((step) => step.kind === "request" ? sent(step) : step) };
  return places.size === 0 ? own : { ...own, types: [...places.keys()] };
}

/** Null where a request names types that are not there. */
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
  const own = script.kind === "requests"
    ? { ...script, requests: script.requests.map(received) }
    : {
      ...script,
      steps: script.steps.map((step) => step.kind === "request" ? received(step) : step),
    };
  return isWhole ? own : null;
}
