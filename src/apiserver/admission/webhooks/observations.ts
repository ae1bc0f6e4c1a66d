/** What is counted of admission webhooks: plain values, so that they can come from another thread. */
import type { AdmissionAttributes } from '../../../registry/admission.ts';

type Operation = AdmissionAttributes['operation'];

/** As labels of metrics have it. */
export type CallType = 'admit' | 'validating';

export type WebhookObservation = { readonly name: string; readonly type: CallType; readonly operation: Operation } & (
  | { readonly what: 'call'; readonly code: number; readonly rejected: boolean; readonly seconds: number }
  | {
      readonly what: 'rejection';
      readonly code: number;
      /** Whose fault it is that the request was refused; `no_error` where the webhook says so. */
      readonly error: 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';
    }
  | { readonly what: 'failOpen' }
  /** Conditions that kept the webhook from being asked, or of which so many failed. */
  | { readonly what: 'conditions'; readonly excluded: boolean; readonly failed: number; readonly seconds: number }
);

export type ObserveWebhook = (observation: WebhookObservation) => void;
