import { connectionErrorText } from '../webhooks/connection-errors.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { type Address, authorityOf } from '../webhooks/service-resolver.ts';

/** Why a connection to a node could not be used. */
export class NodeConnectionError extends Error {
  /** Whether the certificate of the other side was not accepted. */
  readonly isUnverified: boolean;

  constructor(cause: unknown, address: Address) {
    super(connectionErrorText(cause, address), { cause });
    this.isUnverified = this.message.includes('x509:');
  }
}

/**
 * In the words of Go's HTTP client.
 *
 * @param target path and query, or a whole URL
 */
export function clientErrorText(method: string, address: Address, target: string, { message }: Error): string {
  const url = target.startsWith('/') ? `https://${authorityOf(address)}${target}` : target;
  return `${method} ${goQuote(url)}: ${message}`;
}
