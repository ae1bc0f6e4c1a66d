import { expect, test } from 'vitest';
import { errorOf, SpecError } from './metrics.ts';
import { proposalOf } from './metric-sources.ts';

test.each([
  { name: 'what the API server refused', error: new Error('refused'), label: 'internal' },
  {
    name: 'what the autoscaler asks for',
    error: new SpecError('unexpected GroupVersion string: a/b/c'),
    label: 'spec',
  },
  {
    name: 'a metric that failed for what the autoscaler asks for',
    error: new Error('invalid metrics', { cause: new SpecError('neither') }),
    label: 'spec',
  },
  { name: 'what is no error', error: 'text', label: 'internal' },
])('$name is counted as $label', ({ error, label }) => {
  expect(errorOf(error)).toBe(label);
});

const target = { type: 'Value' };
test.each([
  { name: 'of an unknown type', metric: { type: 'Other' } },
  { name: 'without a target', metric: { type: 'External', external: { metric: { name: 'm' }, target } } },
  { name: 'of a resource without a target', metric: { type: 'Resource', resource: { name: 'cpu', target } } },
])('A metric $name is an error of the autoscaler', async ({ metric }) => {
  const client = { external: () => Promise.resolve([1]), externalPerPod: () => Promise.resolve([1]) };
  const input = { namespace: 'n', selector: '', pods: [], options: {}, specReplicas: 1, statusReplicas: 1, nowMs: 0 };
  const error = await proposalOf(metric as never, client as never, input as never).catch((reason: unknown) => reason);
  expect(errorOf(error)).toBe('spec');
});
