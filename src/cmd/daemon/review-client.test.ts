import { expect, test } from 'vitest';
import type { Client } from '../../client/client.ts';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { reviewsBy } from './review-client.ts';
import { createReviewMetrics } from './review-metrics.ts';

const answering = (status: number, text: string): Client =>
  ({
    request: () =>
      Promise.resolve({
        status,
        headers: { 'content-type': 'application/json' },
        header: (name: string) => (name === 'content-type' ? 'application/json' : undefined),
        body: (async function* () {
          await Promise.resolve();
          yield Buffer.from(text);
        })(),
        end: () => undefined,
      }),
  }) as unknown as Client;
const away = { request: () => Promise.reject(new Error('no connection')) } as unknown as Client;
const review = '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":{"authenticated":false}}';

test.each([
  { name: 'answered', client: answering(201, review), code: '201' },
  { name: 'refused', client: answering(403, '{"kind":"Status","apiVersion":"v1","code":403}'), code: '403' },
  { name: 'not answered', client: away, code: '<error>' },
])('A review that is $name is counted with its code', async ({ client, code }) => {
  const registry = new MetricRegistry(allMetrics);
  const metrics = createReviewMetrics(registry);
  await reviewsBy(client, '/apis/authentication.k8s.io/v1/tokenreviews', metrics.authentication)
    .post({})
    .catch(() => undefined);
  const lines = (await registry.metrics())
    .split('\n')
    .filter((line) => /^apiserver_delegated_\w+(total|count)\{/.test(line));
  expect(lines).toEqual([
    `apiserver_delegated_authn_request_total{code="${code}"} 1`,
    `apiserver_delegated_authn_request_duration_seconds_count{code="${code}"} 1`,
  ]);
});
