/** Reviews by the API server: who the owner of a token is, what a user may do. */
import type { Client } from '../../client/client.ts';
import { readObjectAnswer, statusErrorOf } from '../../client/status-answer.ts';
import type { ReviewClient } from '../../auth/review-client.ts';
import type { ObserveReview } from './review-metrics.ts';

/** As upstream. */
const timeoutMs = 10_000;

/**
 * @param path `/apis/authentication.k8s.io/v1/tokenreviews`
 * @param observe told of each review
 */
export const reviewsBy = (client: Client, path: string, observe: ObserveReview): ReviewClient => ({
  async post(review) {
    const start = performance.now();
    const told = (status: number | undefined): void => observe(status, (performance.now() - start) / 1000);
    const answer = await client
      .request({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: Buffer.from(JSON.stringify(review)),
        timeoutMs,
      })
      .catch((error: unknown) => {
        told(undefined);
        throw error;
      });
    told(answer.status);
    try {
      if (answer.status >= 300) throw await statusErrorOf(answer);
      return await readObjectAnswer(answer);
    } finally {
      answer.end();
    }
  },
});
