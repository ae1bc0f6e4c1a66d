/** Conversion as a definition of custom resources says it: by its webhook, or without one. */
import type { CustomResourceConversion } from '../../api/gen/types/apiextensions-v1.ts';
import { type Converter, renaming } from '../../registry/custom/conversion.ts';
import { WebhookConverter } from '../../registry/custom/webhook-conversion.ts';
import type { WebhookClients } from '../webhooks/webhook-clients.ts';

const timeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024 * 1024;

/** A review was answered, or was not. */
export type ConversionObserver = (call: {
  readonly seconds: number;
  readonly fromVersion: string;
  readonly toVersion: string;
  /** Undefined: it was answered. */
  readonly error: unknown;
}) => void;

async function observed(post: () => Promise<unknown>, review: object, observer: ConversionObserver): Promise<unknown> {
  const { request } = review as { request: { desiredAPIVersion: string; objects: { apiVersion?: string }[] } };
  const began = performance.now();
  const tell = (error: unknown): void =>
    observer({
      seconds: (performance.now() - began) / 1000,
      fromVersion: request.objects[0]?.apiVersion ?? '',
      toVersion: request.desiredAPIVersion,
      error,
    });
  try {
    const answer = await post();
    tell(undefined);
    return answer;
  } catch (error) {
    tell(error);
    throw error;
  }
}

export function converterOf(
  webhooks: Pick<WebhookClients, 'hold'>,
  conversion: CustomResourceConversion | undefined,
  observer?: ConversionObserver,
): Converter {
  const webhook = conversion?.strategy === 'Webhook' ? conversion.webhook : undefined;
  if (webhook?.clientConfig === undefined) return renaming;
  const client = webhooks.hold(webhook.clientConfig, {
    timeoutMs,
    timeoutInQuery: true,
    retryDelaysMs: [],
    maxAnswerBytes,
  });
  return new WebhookConverter({
    reviewVersions: webhook.conversionReviewVersions ?? [],
    post: async (review) =>
      observer === undefined ? client.post(review) : observed(() => client.post(review), review, observer),
    release: () => client.release(),
  });
}
