/**
 * Calls a container runtime over its Unix sockets. Every call has an end, and no answer is longer than 16 MiB: a
 * runtime that hangs or lies is an error of that call.
 */
import { MessageCodec, type WireSchema } from '../../base/protobuf/message-codec.ts';
import type { Clock } from '../../base/clock.ts';
import { timeLimit as signalAfter } from '../../base/time-limit.ts';
import { GrpcClient } from '../../grpc/client.ts';
import type { CallOptions, ContainerRuntime } from './container-runtime.ts';
import { enums, messages, methods, type Methods } from './gen/cri.ts';

export interface CriClientOptions {
  /** `unix:///run/containerd/containerd.sock`, or the path alone. */
  readonly endpoint: string;
  /** Of the image service; the same as `endpoint` when absent. */
  readonly imageEndpoint?: string | undefined;
  readonly requestTimeoutMs: number;
  readonly clock?: Clock;
}

export interface CriClient {
  readonly runtime: ContainerRuntime;
  /** Ends all calls. */
  close(): void;
}

/** As upstream's client. */
const maxAnswerBytes = 16 << 20;
const endless = new AbortController().signal;
const codec = new MessageCodec({ enums, messages } as WireSchema);

/** Throws for an endpoint that is no Unix socket. */
export function createCriClient({ endpoint, imageEndpoint, requestTimeoutMs, clock }: CriClientOptions): CriClient {
  const clientOf = (path: string): GrpcClient =>
    new GrpcClient({
      address: { path },
      peer: 'the container runtime',
      maxMessageBytes: maxAnswerBytes,
      failsFast: true,
      ...(clock === undefined ? {} : { clock }),
    });
  const path = socketPath(endpoint);
  const imagePath = imageEndpoint === undefined || imageEndpoint === '' ? path : socketPath(imageEndpoint);
  const containers = clientOf(path);
  const images = imagePath === path ? containers : clientOf(imagePath);
  const runtime = Object.fromEntries(
    Object.keys(methods).map((name) => {
      const method = name as keyof Methods;
      const client = methods[method][0].includes('.ImageService/') ? images : containers;
      return [method, createCall(client, method, requestTimeoutMs)];
    }),
  ) as unknown as ContainerRuntime;
  return {
    runtime,
    close() {
      containers.close();
      images.close();
    },
  };
}

function createCall(client: GrpcClient, name: keyof Methods, requestTimeoutMs: number) {
  const [path, requestType, responseType] = methods[name];
  const method = {
    path,
    decode: (reader: Parameters<MessageCodec['decode']>[1]) => codec.decode(responseType, reader),
  };
  return (request: object, { signal, timeoutMs }: CallOptions = {}): Promise<object> => {
    const limitMs = timeoutMs ?? timeLimit(name, request, requestTimeoutMs);
    const limit = Number.isFinite(limitMs) ? signalAfter(Math.ceil(limitMs)) : endless;
    const ended = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    return client.call(method, codec.encodeGrpc(requestType, request), ended);
  };
}

/** Milliseconds. What is asked to take time has that time beside the usual one. */
export function timeLimit(name: keyof Methods, request: object, requestTimeoutMs: number): number {
  switch (name) {
    case 'runPodSandbox':
      return 2 * requestTimeoutMs;
    case 'stopContainer':
    case 'execSync':
    case 'checkpointContainer':
      return requestTimeoutMs + Number((request as { timeout?: number | bigint }).timeout ?? 0) * 1000;
    // Images are as large as they are: who pulls watches the progress, and gives up by the signal.
    case 'pullImage':
      return Infinity;
    default:
      return requestTimeoutMs;
  }
}

export function socketPath(endpoint: string): string {
  if (endpoint.startsWith('unix://')) return endpoint.slice('unix://'.length);
  if (endpoint.startsWith('/')) return endpoint;
  throw new Error(`the endpoint of a container runtime is a Unix socket (unix:///run/...), not ${endpoint}`);
}
