/** Traces by the OpenTelemetry SDK. Loaded where a configuration asks for traces, and nowhere else. */
import {
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Dialer } from '../../base/dialer.ts';
import type { Logger } from '../../base/logger.ts';
import type { Span, SpanAttributes } from '../../base/span.ts';
import { GrpcClient } from '../../grpc/client.ts';
import { endsWithin } from '../shutdown-timeout.ts';
import type { TracingConfiguration } from './configuration.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import type { Tracer } from './tracer.ts';

export interface TracerOptions {
  readonly configuration: TracingConfiguration;
  /** `apiserver` */
  readonly service: string;
  /** Which of several servers it is. */
  readonly instance: string;
  /** The way to the collector, where it is not straight. */
  readonly dial?: Dialer | undefined;
  readonly log: Logger;
}

const closeTimeoutMs = 1000;
/** Of lines about a collector that takes nothing. */
const complainEveryMs = 60_000;

/** As upstream and other SDKs have them. */
const queue = { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 5000 };
const limits = { attributeValueLengthLimit: 4096, attributeCountLimit: 128, linkCountLimit: 1 };

export function createTracer({ configuration, service, instance, dial, log }: TracerOptions): Tracer {
  const { collector, samplingRatePerMillion } = configuration;
  const exporter = new OtlpExporter(
    new GrpcClient({ address: collector, peer: 'the collector of traces', dial }),
    complain(),
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.instance.id': instance }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplingRatePerMillion / 1_000_000) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...queue })],
    spanLimits: limits,
  });
  const tracer = provider.getTracer('k8s.io/apiserver');

  function complain(): (error: Error) => void {
    let nextAt = 0;
    return (error) => {
      if (Date.now() < nextAt) return;
      nextAt = Date.now() + complainEveryMs;
      log.warn({ err: error }, 'spans could not be sent to the collector and are lost');
    };
  }
  return {
    begin({ name, attributes, traceparent }) {
      const remote = parseTraceparent(traceparent);
      const links: Link[] = remote === undefined ? [] : [{ context: remote }];
      const span = tracer.startSpan(name, { root: true, kind: SpanKind.SERVER, attributes, links }, ROOT_CONTEXT);
      return span.isRecording() ? new RecordedSpan(tracer, span, String(attributes['audit-id'] ?? '')) : undefined;
    },
    close: () => endsWithin({ ms: closeTimeoutMs, what: 'sending spans', log }, provider.shutdown()),
  };
}

class RecordedSpan implements Span {
  readonly #tracer: SdkTracer;
  readonly #span: SdkSpan;
  readonly #context: Context;
  readonly auditId: string;

  constructor(tracer: SdkTracer, span: SdkSpan, auditId: string) {
    this.auditId = auditId;
    this.#tracer = tracer;
    this.#span = span;
    this.#context = trace.setSpan(context.active(), span);
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  get isOpen(): boolean {
    return this.#span.isRecording();
  }

  child(name: string, attributes: SpanAttributes = {}, sinceMs?: number): Span {
    return this.#below(name, {
      attributes,
      ...(sinceMs === undefined ? {} : { startTime: performance.timeOrigin + sinceMs }),
    });
  }

  call(name: string, attributes: SpanAttributes = {}): Span {
    return this.#below(name, { attributes, kind: SpanKind.CLIENT });
  }

  #below(name: string, options: SpanOptions): Span {
    return new RecordedSpan(this.#tracer, this.#tracer.startSpan(name, options, this.#context), this.auditId);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes({ ...attributes });
  }

  fail(error: unknown): void {
    this.#span.setStatus({
      code: SpanStatusCode.ERROR,
      message: error instanceof Error ? error.message : String(error),
    });
  }

  end(): void {
    this.#span.end();
  }
}

/** @see {@link https://www.w3.org/TR/trace-context/#traceparent-header | traceparent} */
function parseTraceparent(header: string | undefined): SpanContext | undefined {
  if (header === undefined || header.length > 128) return undefined;
  const [, version, traceId, spanId, flags] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || version === 'ff') return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: parseInt(flags!, 16) & TraceFlags.SAMPLED, isRemote: true };
}
