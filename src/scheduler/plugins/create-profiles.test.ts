import { expect, test } from 'vitest';
import { defaultSchedulerConfig } from '../config/defaults.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { testCluster } from '../testing/cluster.ts';
import { podInfo } from '../testing/objects.ts';
import { withoutManaged } from './create-profiles.ts';
import { createNodeResourcesFit } from './node-resources-fit.ts';

test.each([
  { name: 'is not looked at when an extender accounts for it alone', ignoredByScheduler: true, fits: true },
  { name: 'is looked at when an extender only wants to be asked too', ignoredByScheduler: false, fits: false },
])('A resource that no node has $name', ({ ignoredByScheduler, fits }) => {
  const { args } = defaultSchedulerConfig().profiles[0]!;
  const managedResources = [{ name: 'example.com/gpu', ignoredByScheduler }];
  const fit = createNodeResourcesFit(withoutManaged(args, [{ managedResources }]).NodeResourcesFit);
  const { cluster } = testCluster([{ name: 'a' }]);
  const answer = fit.filter(new CycleState(), podInfo({ requests: { 'example.com/gpu': '1' } }), cluster.nodes[0]!);
  expect(answer === undefined).toBe(fits);
});
