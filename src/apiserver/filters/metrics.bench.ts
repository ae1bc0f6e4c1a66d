/**
 * What it costs to time the four filters of a request: `npx vitest bench --run --project unit
 * src/apiserver/filters/metrics`.
 */
import { bench, describe } from 'vitest';
import { compose } from '../../server/middleware.ts';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { RequestMetrics } from '../metrics/request-metrics.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest, Filter } from '../request/request.ts';
import { timed } from './metrics.ts';

const names = ['authentication', 'audit', 'impersonation', 'authorization'];
const pass: Filter = (request, next) => next();
const answer = Promise.resolve<ApiResponse>({ status: 200, headers: {} });
const metrics = new RequestMetrics(new MetricRegistry(allMetrics), { knows: () => 'subresource' });
const plain = compose(
  names.map(() => pass),
  () => answer,
);
const measured = compose(
  names.map((name) => timed(name, pass, metrics)),
  () => answer,
);
const request = {} as ApiRequest;
const options = { time: 1000, warmupTime: 300 };

describe('a request through four filters', () => {
  bench('without times', () => void plain(request), options);
  bench('with times', () => void measured(request), options);
});
