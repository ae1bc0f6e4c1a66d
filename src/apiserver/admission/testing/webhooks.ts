/** Webhooks without a network, for the tests of what asks them. */
import type { HttpAnswer } from '../../../client/transport.ts';
import { alwaysAllow } from '../../../auth/authorization/always-allow.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { MutatingWebhook } from '../../../api/gen/types/admissionregistration-v1.ts';
import type { WebhookParts } from '../webhooks/compiled-webhook.ts';
import { type WebhookConfiguration, WebhookConfigurations } from '../webhooks/configurations.ts';
import type { WebhookObservation } from '../webhooks/observations.ts';
import type { WebhookPluginOptions } from '../webhooks/validating.ts';
import { objectsOf } from './attributes.ts';

interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly object?: unknown };
}

/** The response of a webhook to a review; a text is the whole answer. */
export type Respond = (review: Review) => object | string | Promise<object | string>;

export const webhookNamed = (name: string, more: Partial<MutatingWebhook> = {}): MutatingWebhook => ({
  name,
  clientConfig: { url: `https://hooks.example/${name}` },
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  timeoutSeconds: 5,
  ...more,
});

export const configurationOf = (
  name: string,
  webhooks: MutatingWebhook[],
  resourceVersion = '1',
): WebhookConfiguration => ({ metadata: { name, uid: name, resourceVersion }, webhooks });

export const jsonPatch = (...operations: readonly object[]): object => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

export class FakeWebhooks {
  /** Names in the order in which they were asked. */
  readonly asked: string[] = [];
  readonly reviews: Review[] = [];
  readonly released: string[] = [];
  readonly observations: WebhookObservation[] = [];
  readonly #responds: Readonly<Record<string, Respond>>;

  constructor(responds: Readonly<Record<string, Respond>> = {}) {
    this.#responds = responds;
  }

  get parts(): WebhookParts {
    return {
      authorizer: alwaysAllow,
      objects: objectsOf({ '/namespaces': [{ metadata: { name: 'team' } }] }),
      clients: {
        hold: ({ url = '' }) => {
          const name = url.slice(url.lastIndexOf('/') + 1);
          return {
            post: () => Promise.reject(new Error('not used')),
            call: (body) => this.#answer(name, String(body)),
            release: () => void this.released.push(name),
          };
        },
      },
    };
  }

  options(...webhooks: MutatingWebhook[]): WebhookPluginOptions {
    const configurations = new WebhookConfigurations(this.parts);
    configurations.set([configurationOf('c', webhooks)]);
    return {
      source: { current: () => configurations.index },
      observe: (observation) => void this.observations.push(observation),
      log: silentLogger,
    };
  }

  async #answer(name: string, body: string): Promise<HttpAnswer> {
    const review = JSON.parse(body) as Review;
    this.asked.push(name);
    this.reviews.push(review);
    const response = (await this.#responds[name]?.(review)) ?? {};
    const { uid } = review.request;
    const text =
      typeof response === 'string'
        ? response
        : JSON.stringify({
            apiVersion: review.apiVersion,
            kind: 'AdmissionReview',
            response: { uid, allowed: true, ...response },
          });
    return { status: 200, contentType: 'application/json', retryAfter: undefined, text };
  }
}
