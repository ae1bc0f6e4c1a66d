/** A collector of traces by another implementation of gRPC and of protobuf. */
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the span of a request. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly linkedTraceIds: readonly string[];
  readonly failed: boolean;
  readonly nanoseconds: number;
  readonly service: unknown;
}

export interface OtlpCollector extends AsyncDisposable {
  readonly endpoint: string;
  readonly spans: readonly CollectedSpan[];
}

/** Of opentelemetry-proto 1.x, what is looked at here. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message Resource { repeated KeyValue attributes = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message ScopeSpans { repeated Span spans = 2; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; } }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { string message = 2; int32 code = 3; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
    fixed64 start = 7; fixed64 end = 8; repeated KeyValue attributes = 9; repeated Link links = 13; Status status = 15;
  }
`);

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface RawSpan {
  readonly name: string;
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentSpanId: Buffer;
  readonly start: string;
  readonly end: string;
  readonly attributes: KeyValue[];
  readonly links: { traceId: Buffer }[];
  readonly status?: { code: number };
}
interface RawRequest {
  readonly resourceSpans: {
    readonly resource: { attributes: KeyValue[] };
    readonly scopeSpans: { spans: RawSpan[] }[];
  }[];
}

const valuesOf = (pairs: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

const errorCode = 2;

function decode(message: Buffer): CollectedSpan[] {
  const type = root.lookupType('Request');
  const options = { longs: String, arrays: true, bytes: Buffer, defaults: false };
  const { resourceSpans } = type.toObject(type.decode(message), options) as RawRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        traceId: span.traceId.toString('hex'),
        spanId: span.spanId.toString('hex'),
        parentSpanId: (span.parentSpanId as Buffer | undefined)?.toString('hex') ?? '',
        attributes: valuesOf(span.attributes),
        linkedTraceIds: span.links.map(({ traceId }) => traceId.toString('hex')),
        failed: span.status?.code === errorCode,
        nanoseconds: Number(BigInt(span.end) - BigInt(span.start)),
        service: valuesOf(resource.attributes)['service.name'],
      })),
    ),
  );
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const server = new Server();
  server.addService(
    {
      export: {
        path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
        requestStream: false,
        responseStream: false,
        requestSerialize: (message: Buffer) => message,
        requestDeserialize: (message: Buffer) => message,
        responseSerialize: (message: Buffer) => message,
        responseDeserialize: (message: Buffer) => message,
      },
    },
    {
      export({ request }: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) {
        spans.push(...decode(request));
        answer(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    endpoint: `127.0.0.1:${port}`,
    spans,
    [Symbol.asyncDispose]: () => {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}
