/** Sends spans to a collector: OTLP over gRPC. */
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { timeLimit } from '../../base/time-limit.ts';
import type { Method } from '../../grpc/call.ts';
import type { GrpcClient } from '../../grpc/client.ts';

type Done = Parameters<SpanExporter['export']>[1];

/** Of the SDK, whose package with them is not a dependency of its own. */
const succeeded = 0;
const failed = 1;

const exportMethod: Method<true> = {
  path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  decode: (reader) => {
    while (reader.next(reader.end)) reader.skip();
    return true;
  },
};
const timeoutMs = 10_000;
const prefixBytes = 5;

export class OtlpExporter implements SpanExporter {
  readonly #client: GrpcClient;
  readonly #onFailure: (error: Error) => void;

  constructor(client: GrpcClient, onFailure: (error: Error) => void) {
    this.#client = client;
    this.#onFailure = onFailure;
  }

  export(spans: ReadableSpan[], done: Done): void {
    const message = ProtobufTraceSerializer.serializeRequest(spans);
    if (message === undefined) return done({ code: succeeded });
    this.#client.call(exportMethod, framed(message), timeLimit(timeoutMs)).then(
      () => done({ code: succeeded }),
      (error: Error) => {
        this.#onFailure(error);
        done({ code: failed, error });
      },
    );
  }

  shutdown(): Promise<void> {
    this.#client.close();
    return Promise.resolve();
  }
}

/** A gRPC message that is not compressed. */
function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixBytes + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefixBytes);
  return frame;
}
