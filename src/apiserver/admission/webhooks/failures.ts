/** How admission webhooks refuse requests: because they say so, or because they could not be asked. */
import type { Status } from '../../../api/gen/types/meta-v1.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { type StatusDetails, type Status as StatusObject, StatusError } from '../../../machinery/status.ts';

/** The webhook gave no answer that counts. What that means is up to its failure policy. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  /** As metrics count it. */
  readonly code: number;

  constructor(webhook: string, why: string, code: number, options?: { cause?: unknown }) {
    super(`failed calling webhook ${goQuote(webhook)}: ${why}`, options);
    this.code = code;
  }
}

/** A webhook denied the request. */
export class Denial extends StatusError {
  readonly #metadata: Status['metadata'] | undefined;

  constructor(webhook: string, status: Status | undefined) {
    const { code = 0, reason = '', details, metadata } = status ?? {};
    super(httpCode(code), reason, messageOf(webhook, status), details as StatusDetails | undefined);
    this.#metadata = metadata;
  }

  override toStatus(): StatusObject {
    return { ...super.toStatus(), metadata: { ...this.#metadata } } as StatusObject;
  }
}

function messageOf(webhook: string, { message = '', reason = '' }: Partial<Status> = {}): string {
  const denied = `admission webhook ${goQuote(webhook)} denied the request`;
  const why = message === '' ? reason : message;
  return why === '' ? `${denied} without explanation` : `${denied}: ${why}`;
}

/**
 * A denial is an error of the client, or of a server, whatever the webhook calls it.
 *
 * @NOTE differs from upstream: codes above 599 are 500, because HTTP has none.
 */
function httpCode(code: number): number {
  if (code < 400) return 400;
  return code > 599 ? 500 : code;
}
