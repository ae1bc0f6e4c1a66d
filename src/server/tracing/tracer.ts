/** What traces requests. Only its types are known where nothing is traced. */
import type { Span, SpanAttributes } from '../../base/span.ts';

export interface RootSpan {
  readonly name: string;
  readonly attributes: SpanAttributes;
  /** What the client sent: it is linked, and neither decides about sampling nor becomes the parent. */
  readonly traceparent: string | undefined;
}

export interface Tracer {
  /** The span of a request. Undefined where the request is not sampled. */
  begin(root: RootSpan): Span | undefined;
  /** Sends what waits, as far as that is possible in a moment. */
  close(): Promise<void>;
}
