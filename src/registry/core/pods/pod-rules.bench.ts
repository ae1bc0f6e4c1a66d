/** What the rules of pods cost a write of a pod of 2.5 kB, the object every design figure is about. */
import { bench, describe } from 'vitest';
import { benchPod } from '../../../../test/support/bench-pod.ts';
import { codecs } from '../../../api/codecs.ts';
import { setPodDefaults } from '../../../api/core/pods/defaults.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { StrategyContext } from '../../strategy.ts';
import { podStatusStrategy, podStrategy } from './strategy.ts';

const codec = codecs.of('core/v1.Pod');
const context: StrategyContext = {
  now: new Date(),
  user: { name: 'bench', groups: [] },
  enabled: () => true,
  apiVersion: 'v1',
  allowPrivileged: true,
};

const submitted = codec.encode(benchPod());
const read = (bytes: Buffer): Pod => codec.decode(bytes) as unknown as Pod;

function create(): Pod {
  const pod = read(submitted);
  pod.metadata.uid = '4f6c7e40-6f4c-4a1b-9f1e-2d6f5c1b7a11';
  pod.metadata.creationTimestamp = '2026-01-01T00:00:00Z';
  setPodDefaults(pod);
  podStrategy.prepareForCreate!(pod, context);
  if (podStrategy.validate!(pod, context).length > 0) throw new Error('the pod is valid');
  Array.from(podStrategy.warningsOnCreate!(pod, context));
  return pod;
}

const stored = create();
stored.metadata.resourceVersion = '1';

function update(strategy: typeof podStrategy | typeof podStatusStrategy): void {
  const pod = read(submitted);
  Object.assign(pod.metadata, stored.metadata);
  setPodDefaults(pod);
  strategy.prepareForUpdate!(pod, stored, context);
  if (strategy.validateUpdate!(pod, stored, context).length > 0) throw new Error('the change is valid');
  Array.from(strategy.warningsOnUpdate?.(pod, stored, context) ?? []);
}

// Rules change what they are given, so each round reads the pod anew: take off the first line.
describe('rules of a pod', () => {
  bench('reading alone', () => void read(submitted));
  bench('create', () => void create());
  bench('update', () => update(podStrategy));
  bench('status', () => update(podStatusStrategy));
});
