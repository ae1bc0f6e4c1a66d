import { describe, expect, test } from 'vitest';
import type { Event } from '../../api/gen/types/audit-v1.ts';
import type { AuditSink } from './backend.ts';
import type { AuditEvent } from './event.ts';
import { auditEvent } from './testing/events.ts';
import { truncating } from './truncate.ts';

function setUp(maxEventBytes: number, maxBatchBytes: number) {
  const batches: (readonly string[])[] = [];
  const lost: string[] = [];
  const sink: AuditSink = {
    textOf: (event) => event.text('{', ''),
    write: (texts) => (batches.push(texts), Promise.resolve(true)),
    close: () => Promise.resolve(),
  };
  const bounded = truncating(
    sink,
    { maxEventBytes, maxBatchBytes },
    (plugin, error, events) => void lost.push(`${plugin} ${events}: ${(error as Error).message}`),
  );
  const write = (...events: readonly AuditEvent[]): Promise<boolean> =>
    bounded.write(events.map((event) => bounded.textOf(event)).filter((text) => text !== undefined));
  return { batches, lost, write };
}

const parsed = (text: string): Event => JSON.parse(text) as Event;
const ids = (batches: readonly (readonly string[])[]): (string | undefined)[][] =>
  batches.map((batch) => batch.map((text) => parsed(text).auditID));
const large = JSON.stringify({ text: 'x'.repeat(1000) });

describe('truncation', () => {
  test('Truncation of audit events leaves what fits as it is', async () => {
    const { batches, write } = setUp(2000, 10_000);
    const event = auditEvent('1', { requestObject: large }, { level: 'Request' });
    expect(await write(event)).toBe(true);
    expect(batches).toEqual([[event.text('{', '')]]);
  });

  test('Truncation of audit events takes request and response out of what does not, and says so', async () => {
    const { batches, write } = setUp(1000, 10_000);
    await write(
      auditEvent(
        '1',
        { requestObject: large, responseObject: '{}', annotations: { a: 'b' } },
        { level: 'RequestResponse' },
      ),
    );
    const event = parsed(batches[0]![0]!);
    expect(event).toMatchObject({ auditID: '1', annotations: { a: 'b', 'audit.k8s.io/truncated': 'true' } });
    expect(event).not.toHaveProperty('requestObject');
    expect(event).not.toHaveProperty('responseObject');
  });

  test('Truncation of audit events drops and counts what is too large even then, which fails no request', async () => {
    const { batches, lost, write } = setUp(500, 10_000);
    expect(await write(auditEvent('1', {}, { requestUri: `/${'x'.repeat(1000)}` }), auditEvent('2'))).toBe(true);
    expect(ids(batches)).toEqual([['2']]);
    expect(lost).toEqual(['truncate 1: event is too large even after truncating']);
  });

  test('Truncation of audit events splits a batch that is larger than the maximum batch size', async () => {
    const size = Buffer.byteLength(auditEvent('1').text('{', ''));
    const { batches, write } = setUp(size, 2 * size);
    await write(...['1', '2', '3', '4', '5'].map((id) => auditEvent(id)));
    expect(ids(batches)).toEqual([['1', '2'], ['3', '4'], ['5']]);
  });
});
