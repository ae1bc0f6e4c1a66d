import { describe, expect, test } from 'vitest';
import type { ResourceQuotaSpec } from '../../gen/types/core-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { validateResourceQuota, validateResourceQuotaUpdate } from './validation.ts';

const quota = (spec: ResourceQuotaSpec) => ({
  metadata: { name: 'q', namespace: 'n', resourceVersion: '1' },
  spec,
  status: {},
});
const selector = (
  scopeName: 'PriorityClass' | 'BestEffort',
  operator: 'In' | 'Exists',
  ...values: string[]
): ResourceQuotaSpec => ({ scopeSelector: { matchExpressions: [{ scopeName, operator, values }] } });
const refused = expect.stringContaining("must be 'Exist' when scope is any of") as unknown as string;

describe('ResourceQuota', () => {
  test.each<{ name: string; spec: ResourceQuotaSpec; errors: string[] }>([
    {
      name: 'counts any resource by its name',
      spec: { hard: { 'count/deployments.apps': '3', 'requests.example.com/gpu': '1' } },
      errors: [],
    },
    {
      name: 'has requests for storage only',
      spec: { hard: { 'requests.storage': '1Gi', storage: '1Gi' } },
      errors: ['spec.hard[storage]: Invalid value: storage: must be a standard resource for quota'],
    },
    {
      name: 'limits what pods of a scope ask for',
      spec: { hard: { 'limits.cpu': '1' }, scopes: ['Terminating'] },
      errors: [],
    },
    {
      name: 'leaves names with a domain to their scope',
      spec: { hard: { 'count/jobs.batch': '1' }, scopes: ['BestEffort'] },
      errors: [],
    },
    { name: 'selects classes by name', spec: selector('PriorityClass', 'In', 'high'), errors: [] },
    { name: 'selects other scopes by their being there', spec: selector('BestEffort', 'In', 'x'), errors: [refused] },
    {
      name: 'tells scopes of its selector that contradict each other by its own scopes',
      spec: {
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'BestEffort', operator: 'Exists' },
            { scopeName: 'NotBestEffort', operator: 'Exists' },
          ],
        },
      },
      errors: [
        'spec.scopeSelector.matchExpressions: Invalid value: []core.ResourceQuotaScope(nil): conflicting scopes',
      ],
    },
    {
      name: 'wants no values where they mean nothing',
      spec: selector('BestEffort', 'Exists', 'x'),
      errors: [
        'spec.scopeSelector.matchExpressions.values: Invalid value: []string{"x"}: must be no value when ' +
          "`operator` is 'Exist' or 'DoesNotExist' for scope selector",
      ],
    },
  ])('ResourceQuota: $name', ({ spec, errors }) => {
    expect(validateResourceQuota(quota(spec)).map(fieldErrorText)).toEqual(errors);
  });

  test.each<{ name: string; now: ResourceQuotaSpec['scopes']; old: ResourceQuotaSpec['scopes']; count: number }>([
    {
      name: 'may have its scopes in another order',
      now: ['BestEffort', 'Terminating'],
      old: ['Terminating', 'BestEffort'],
      count: 0,
    },
    { name: 'may not have others', now: ['BestEffort'], old: ['Terminating', 'BestEffort'], count: 1 },
    { name: 'may not lose them', now: undefined, old: ['BestEffort'], count: 1 },
  ])('ResourceQuota: $name', ({ now, old, count }) => {
    expect(validateResourceQuotaUpdate(quota({ scopes: now }), quota({ scopes: old }))).toHaveLength(count);
  });
});
