import { expect, test } from 'vitest';
import { Metrics } from './metrics.ts';

test('Metrics count the events of watches and their bytes', async () => {
  const metrics = new Metrics({ serverId: 'x' });
  const sent = metrics.watchEvents('apps', 'v1', 'Deployment');
  for (const bytes of [100, 3000]) sent(bytes);
  const labels = 'group="apps",version="v1",kind="Deployment"';
  expect(await metrics.registry.getSingleMetricAsString('apiserver_watch_events_total')).toContain(
    `apiserver_watch_events_total{${labels}} 2`,
  );
  expect(await metrics.registry.getSingleMetricAsString('apiserver_watch_events_sizes')).toContain(
    `apiserver_watch_events_sizes_bucket{le="1024",${labels}} 1`,
  );
});
