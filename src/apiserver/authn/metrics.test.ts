import { expect, test } from 'vitest';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { AuthenticationMetrics } from './metrics.ts';

test('Judged ID tokens and reloads of the configuration are counted, servers and issuers by their hashes', async () => {
  const registry = new MetricRegistry(allMetrics);
  const metrics = new AuthenticationMetrics(registry, 'one');
  metrics.idTokenJudged('https://issuer.example', true, 0.02);
  metrics.idTokenJudged('https://issuer.example', false, 0.02);
  metrics.configurationReloaded(true);
  metrics.configurationReloaded(false);
  const text = await registry.metrics();
  const latency = 'apiserver_authentication_jwt_authenticator_latency_seconds_count';
  expect(text).toMatch(new RegExp(`${latency}\\{result="success",jwt_issuer_hash="sha256:[0-9a-f]{64}"\\} 1`));
  expect(text).toMatch(new RegExp(`${latency}\\{result="failure",jwt_issuer_hash="sha256:[0-9a-f]{64}"\\} 1`));
  const reloads = 'apiserver_authentication_config_controller_automatic_reload';
  expect(text).toMatch(new RegExp(`${reloads}s_total\\{status="success",apiserver_id_hash="sha256:[0-9a-f]{64}"\\} 1`));
  expect(text).toMatch(new RegExp(`${reloads}_last_timestamp_seconds\\{status="failure",apiserver_id_hash="sha256:`));
  expect(text).not.toContain('issuer.example');
});
