import type { AuditSink, ReportLoss } from './backend.ts';
import type { AuditEvent } from './event.ts';

export interface TruncateOptions {
  /** Bytes of an event; of a larger one request and response are left out, and if that is not enough the event. */
  readonly maxEventBytes: number;
  /** Bytes of a batch; a larger one is split. */
  readonly maxBatchBytes: number;
}

/**
 * Keeps events and batches below a size. An event that cannot be made to fit is counted and no failure of its request.
 *
 * @NOTE differs from upstream: batches are measured as they are sent; there, where a buffer stands behind this step,
 * only single events ever reach it.
 */
export function truncating(
  sink: AuditSink,
  { maxEventBytes, maxBatchBytes }: TruncateOptions,
  report: ReportLoss,
): AuditSink {
  const fits = (text: string | undefined): boolean => text === undefined || Buffer.byteLength(text) <= maxEventBytes;
  return {
    textOf(event) {
      const text = sink.textOf(event);
      if (fits(text)) return text;
      const short = hasObjects(event) ? sink.textOf(event.truncated()) : text;
      if (fits(short)) return short;
      report('truncate', new Error('event is too large even after truncating'), 1);
      return undefined;
    },
    async write(texts) {
      const written = await Promise.all(split(texts, maxBatchBytes).map((batch) => sink.write(batch)));
      return written.every(Boolean);
    },
    hurry: () => sink.hurry?.(),
    close: () => sink.close(),
  };
}

const hasObjects = ({
  request: {
    facts: { level },
  },
}: AuditEvent): boolean => level === 'Request' || level === 'RequestResponse';

function split(texts: readonly string[], maxBytes: number): string[][] {
  const batches: string[][] = [];
  let bytes = Infinity;
  for (const text of texts) {
    const size = Buffer.byteLength(text);
    bytes += size;
    if (bytes > maxBytes) {
      batches.push([]);
      bytes = size;
    }
    batches.at(-1)!.push(text);
  }
  return batches;
}
