import { StatusError } from '../../machinery/status.ts';

/** Told as text, and without a kind: upstream writes this answer past what encodes all others. */
export class RequestTimedOut extends StatusError {
  constructor() {
    super(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {});
  }

  toText(): string {
    const { kind: _kind, apiVersion: _apiVersion, ...status } = this.toStatus();
    return `${JSON.stringify(status)}\n`;
  }
}
