import { describe, expect, test } from 'vitest';
import { loadSchedulerConfig } from './load.ts';
import type { ProfileConfig } from './types.ts';

describe('with the gate VolumeCapacityPriority', () => {
  const profileWith = (args?: object): ProfileConfig => {
    const pluginConfig = args === undefined ? [] : [{ name: 'VolumeBinding', args }];
    const text = JSON.stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      profiles: [{ pluginConfig }],
    });
    const loaded = loadSchedulerConfig(text, { volumeCapacityPriority: true });
    return loaded.scheduler.profiles[0]!;
  };
  const shapeOf = (args?: object): unknown => profileWith(args).args.VolumeBinding.shape;
  const full = [
    { utilization: 0, score: 0 },
    { utilization: 100, score: 10 },
  ];
  const given = [
    { utilization: 0, score: 10 },
    { utilization: 100, score: 0 },
  ];
  test.each([
    { title: 'full volumes are best by default', args: undefined, is: full },
    { title: 'full volumes are best with other arguments', args: { bindTimeoutSeconds: 5 }, is: full },
    { title: 'a document has its own shape', args: { shape: given }, is: given },
  ])('With the gate VolumeCapacityPriority $title', ({ args, is }) => {
    expect(shapeOf(args)).toEqual(is);
  });

  test('With the gate VolumeCapacityPriority nodes are scored by their volumes', () => {
    expect(profileWith().plugins.score).toContainEqual({ name: 'VolumeBinding', weight: 1 });
  });

  test('A shape that goes back is refused', () => {
    expect(() => shapeOf({ shape: [full[1], full[0]] })).toThrow('values must be sorted in increasing order');
  });
});
