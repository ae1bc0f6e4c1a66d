/**
 * Spans of distributed traces, as code that is traced sees them: no part of a tracing library is known here, and
 * nothing is done while no server traces.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Of a request that is recorded. */
export interface Span {
  /** Names this span to the programs that are called for it. @see {@link https://www.w3.org/TR/trace-context/} */
  readonly traceparent: string;
  /** Of the request that it belongs to. */
  readonly auditId: string;
  /** Work that a request began may outlast it, and is no part of its span then. */
  readonly isOpen: boolean;
  /** @param sinceMs when it began, on the clock of `performance.now()`; now when absent */
  child(name: string, attributes?: SpanAttributes, sinceMs?: number): Span;
  /** The same for work that another program does. */
  call(name: string, attributes?: SpanAttributes): Span;
  set(attributes: SpanAttributes): void;
  fail(error: unknown): void;
  end(): void;
}

/** Made with the first span: a process without tracing has none. */
let spans: AsyncLocalStorage<Span> | undefined;

/** The span that the running code is a part of. Undefined, at the cost of one comparison, where nothing is traced. */
export function currentSpan(): Span | undefined {
  if (spans === undefined) return undefined;
  const span = spans.getStore();
  return span?.isOpen === true ? span : undefined;
}

/** Runs what is a part of the span. */
export const runInSpan = <T>(span: Span, work: () => T): T => (spans ??= new AsyncLocalStorage()).run(span, work);

/** Runs work that is a span of its own, below the one that it is a part of. */
export const inChildSpan = <T>(
  parent: Span,
  name: string,
  work: () => Promise<T>,
  attributes?: SpanAttributes,
): Promise<T> => inNewSpan(parent.child(name, attributes), work);

/** Runs the work of a span that was made for it, and ends the span. */
export async function inNewSpan<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await runInSpan(span, work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
