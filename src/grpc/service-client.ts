/**
 * Calls the services of a program at a Unix socket, by the tables that `npm run generate` makes of their protocol.
 * Every call has an end, and no answer is longer than 16 MiB: a program that hangs or lies is an error of that call.
 */
import type { Clock } from '../base/clock.ts';
import { MessageCodec, type WireSchema } from '../base/protobuf/message-codec.ts';
import type { ProtoReader } from '../base/protobuf/reader.ts';
import { timeLimit } from '../base/time-limit.ts';
import { GrpcClient } from './client.ts';

/** What a generated file has of a protocol. */
export interface ServiceTables {
  readonly enums: object;
  readonly messages: object;
  /** Path, request and response. */
  readonly methods: Readonly<Record<string, readonly [path: string, request: string, response: string]>>;
}

export interface ServiceCallOptions {
  /** Gives the call up. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Each call rejects with a `GrpcError`. */
export type ServiceCalls<Methods> = {
  readonly [M in keyof Methods]: Methods[M] extends readonly [infer Request, infer Response]
    ? (request: Request, options?: ServiceCallOptions) => Promise<Response>
    : never;
};

export interface ServiceClientOptions {
  /** Of the socket. */
  readonly path: string;
  /** What messages call the program. */
  readonly peer: string;
  readonly timeoutMs: number;
  /** A longer one is an error of its call. */
  readonly maxAnswerBytes?: number | undefined;
  readonly clock?: Clock | undefined;
}

export interface ServiceClient<Methods> {
  readonly calls: ServiceCalls<Methods>;
  /** A method that answers with several messages, without a limit of time: resolves at their end. */
  stream<M extends keyof Methods>(
    method: M,
    request: Methods[M] extends readonly [infer Request, unknown] ? Request : never,
    signal: AbortSignal,
    onMessage: (message: Methods[M] extends readonly [unknown, infer Response] ? Response : never) => void,
  ): Promise<void>;
  /** Ends all calls. */
  close(): void;
}

const usualMaxAnswerBytes = 16 << 20;

/** A program that is not there is an error at once. */
export function createServiceClient<Methods>(
  { enums, messages, methods }: ServiceTables,
  { path, peer, timeoutMs: usualMs, clock, maxAnswerBytes = usualMaxAnswerBytes }: ServiceClientOptions,
): ServiceClient<Methods> {
  const codec = new MessageCodec({ enums, messages } as WireSchema);
  const client = new GrpcClient({
    address: { path },
    peer,
    maxMessageBytes: maxAnswerBytes,
    failsFast: true,
    ...(clock === undefined ? {} : { clock }),
  });
  const createCall = ([methodPath, requestType, responseType]: readonly [string, string, string]) => {
    const method = { path: methodPath, decode: (reader: ProtoReader) => codec.decode(responseType, reader) };
    return (request: object, { signal, timeoutMs = usualMs }: ServiceCallOptions = {}): Promise<object> => {
      const limit = timeLimit(timeoutMs);
      const ended = signal === undefined ? limit : AbortSignal.any([signal, limit]);
      return client.call(method, codec.encodeGrpc(requestType, request), ended);
    };
  };
  const calls = Object.fromEntries(Object.entries(methods).map(([name, row]) => [name, createCall(row)]));
  return {
    calls: calls as unknown as ServiceCalls<Methods>,
    stream(name, request, signal, onMessage) {
      const [methodPath, requestType, responseType] = methods[name as string]!;
      const method = { path: methodPath, decode: (reader: ProtoReader) => codec.decode(responseType, reader) };
      const body = codec.encodeGrpc(requestType, request as object);
      return client.stream(method, body, signal, onMessage as (message: object) => void);
    },
    close: () => client.close(),
  };
}
