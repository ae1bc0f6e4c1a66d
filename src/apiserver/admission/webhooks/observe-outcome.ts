import type { AdmissionAttributes } from '../../../registry/admission.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import { CallFailure, Denial } from './failures.ts';
import type { CallType, ObserveWebhook } from './observations.ts';

export interface Outcome {
  readonly entry: CompiledWebhook;
  readonly attributes: AdmissionAttributes;
  readonly type: CallType;
  /** By `performance.now()`. */
  readonly begin: number;
  /** Undefined where the request was allowed. */
  readonly error: unknown;
}

/** Counts how the question to a webhook ended. */
export function observeOutcome(observe: ObserveWebhook, { entry, attributes, type, begin, error }: Outcome): void {
  const { name } = entry;
  const { operation } = attributes;
  const isFailure = error instanceof CallFailure;
  const rejected = error !== undefined && !(isFailure && entry.ignoresFailures);
  const code = error === undefined ? 200 : isFailure || error instanceof Denial ? error.code : 0;
  observe({ name, type, operation, what: 'call', code, rejected, seconds: (performance.now() - begin) / 1000 });
  if (isFailure && entry.ignoresFailures) observe({ name, type, operation, what: 'failOpen' });
  if (!rejected) return;
  const kind = isFailure ? 'calling_webhook_error' : error instanceof Denial ? 'no_error' : 'apiserver_internal_error';
  observe({ name, type, operation, what: 'rejection', code, error: kind });
}
