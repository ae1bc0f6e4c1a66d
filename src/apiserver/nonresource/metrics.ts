import { methodNotAllowed } from '../endpoints/request-errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Handler } from '../request.ts';

/**
 * `GET /metrics` in the text format. @see {@link https://prometheus.io/docs/instrumenting/exposition_formats/ |
 * Exposition formats}
 */
export const metricsHandler =
  (metrics: Metrics): Handler =>
  async (request) => {
    if (request.method !== 'GET') throw methodNotAllowed();
    return {
      status: 200,
      headers: { 'content-type': metrics.registry.contentType },
      body: await metrics.registry.metrics(),
    };
  };
