/** Conversion as a definition of custom resources says it: by its webhook, or without one. */
import type { CustomResourceConversion } from '../../api/gen/types/apiextensions-v1.ts';
import { type Converter, renaming } from '../../registry/custom/conversion.ts';
import { WebhookConverter } from '../../registry/custom/webhook-conversion.ts';
import type { WebhookClients } from '../webhooks/webhook-clients.ts';

const timeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024 * 1024;

export function converterOf(
  webhooks: Pick<WebhookClients, 'hold'>,
  conversion: CustomResourceConversion | undefined,
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
    post: async (review) => client.post(review),
    release: () => client.release(),
  });
}
