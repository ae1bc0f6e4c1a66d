/** The connection to the backend of ImagePolicyWebhook. Its file is read at the first review. */
import type { FileReports } from '../../base/file-reports.ts';
import { readWebhookKubeconfig } from '../../client/kubeconfig/webhook-kubeconfig.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { WebhookClients } from '../webhooks/webhook-clients.ts';
import type { ImagePolicyConfiguration } from './configuration/plugin-configuration.ts';

const timeoutMs = 30_000;
/** Waits between attempts, in times of the configured one. */
const retryFactors = [1, 1.5, 2.25, 3.375];

export interface ImageReviews {
  /** Resolves with the text of the answer. */
  post(review: object): Promise<string>;
  close(): Promise<void>;
}

export function createImageReviews(
  webhooks: WebhookClients,
  configuration: ImagePolicyConfiguration | undefined,
  reports?: FileReports,
): ImageReviews {
  let opened: Promise<WebhookClient> | undefined;
  const open = async ({ kubeConfigFile, retryBackoffMs }: ImagePolicyConfiguration): Promise<WebhookClient> =>
    webhooks.open(await readWebhookKubeconfig(kubeConfigFile, { reports }), {
      timeoutMs,
      timeoutInQuery: true,
      readAnswer: (text) => text,
      retryDelaysMs: retryFactors.map((factor) => factor * retryBackoffMs),
    });
  return {
    post: async (review) => {
      if (configuration === undefined) throw new Error('no backend is configured');
      opened ??= open(configuration);
      try {
        return (await (await opened).post(review)) as string;
      } catch (error) {
        // A file that cannot be read now may be readable for the next review.
        if (
          await opened.then(
            () => false,
            () => true,
          )
        )
          opened = undefined;
        throw error;
      }
    },
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}
