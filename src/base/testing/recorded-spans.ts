import type { Span, SpanAttributes } from '../span.ts';

/** A span that keeps what is told to it and to the spans below it. */
export class RecordedSpan implements Span {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  readonly below: RecordedSpan[] = [];
  readonly traceparent: string;
  readonly auditId = 'audit';
  isOpen = true;
  failure: unknown;

  constructor(name: string, attributes: SpanAttributes = {}, traceparent = `00-${name}`) {
    this.name = name;
    this.attributes = { ...attributes };
    this.traceparent = traceparent;
  }

  child(name: string, attributes?: SpanAttributes): RecordedSpan {
    const span = new RecordedSpan(name, attributes);
    this.below.push(span);
    return span;
  }

  call(name: string, attributes?: SpanAttributes): RecordedSpan {
    return this.child(name, attributes);
  }

  set(attributes: SpanAttributes): void {
    Object.assign(this.attributes, attributes);
  }

  fail(error: unknown): void {
    this.failure = error;
  }

  end(): void {
    this.isOpen = false;
  }
}
