import { expect, test } from 'vitest';
import { loadSchedulerConfig } from './load.ts';
import type { SchedulerFeatures } from './types.ts';

const header = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };

test.each([
  { name: 'without a profile', document: {} },
  { name: 'in a profile that says nothing', document: { profiles: [{ schedulerName: 'a' }] } },
])('With feature gate DynamicResourceAllocation the plugin DynamicResources is there $name', ({ document }) => {
  const names = (features?: SchedulerFeatures): string[] => {
    const { scheduler } = loadSchedulerConfig(JSON.stringify({ ...header, ...document }), features);
    return scheduler.profiles[0]!.plugins.filter.map(({ name }) => name);
  };
  expect(names()).not.toContain('DynamicResources');
  const before = names();
  expect(names({ dynamicResources: true })).toEqual([
    ...before.slice(0, before.indexOf('PodTopologySpread')),
    'PodTopologySpread',
    'InterPodAffinity',
    'DynamicResources',
  ]);
});
