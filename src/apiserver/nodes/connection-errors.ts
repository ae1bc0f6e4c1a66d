import { connectionErrorText } from '../webhooks/connection-errors.ts';
import type { Address } from '../webhooks/service-resolver.ts';

/** Why a connection to a node could not be used. */
export class NodeConnectionError extends Error {
  /** Whether the certificate of the other side was not accepted. */
  readonly isUnverified: boolean;

  constructor(cause: unknown, address: Address) {
    super(connectionErrorText(cause, address), { cause });
    this.isUnverified = this.message.includes('x509:');
  }
}
