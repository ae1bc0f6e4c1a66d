/** Events, and a sink in the test's hands, for the tests of backends. */
import type { AuditSink } from '../backend.ts';
import { AuditEvent, type RequestFacts, RequestText, type StageFacts } from '../event.ts';

export function auditEvent(id: string, at: Partial<StageFacts> = {}, request: Partial<RequestFacts> = {}): AuditEvent {
  return new AuditEvent(
    new RequestText({
      level: 'Metadata',
      auditId: id,
      requestUri: '/version',
      verb: 'get',
      user: { name: 'jane', groups: [] },
      sourceIps: ['192.0.2.1'],
      userAgent: 'test',
      receivedMicros: 1_700_000_000_000_000,
      cut: [],
      ...request,
    }),
    {
      stage: 'ResponseComplete',
      stageMicros: 1_700_000_000_000_001,
      impersonatedUser: undefined,
      objectRef: undefined,
      responseStatus: { code: 200 },
      requestObject: undefined,
      responseObject: undefined,
      annotations: undefined,
      ...at,
    },
  );
}

export const idOf = (event: AuditEvent): string => event.request.facts.auditId;

/** Keeps batches until the test says what became of them. */
export class ManualSink implements AuditSink {
  /** Batches that were not answered yet, as ids. */
  readonly pending: { readonly ids: readonly string[]; readonly answer: (written: boolean) => void }[] = [];
  readonly batches: (readonly string[])[] = [];
  isHurried = false;
  isClosed = false;

  readonly textOf = idOf;

  write(ids: readonly string[]): Promise<boolean> {
    this.batches.push(ids);
    return new Promise((answer) => this.pending.push({ ids, answer }));
  }

  /** Answers the oldest, and lets what waits for it go on. */
  async done(written = true): Promise<void> {
    this.pending.shift()!.answer(written);
    await new Promise((resolve) => setImmediate(resolve));
  }

  hurry(): void {
    this.isHurried = true;
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}
