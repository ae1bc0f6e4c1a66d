import { expect, test } from 'vitest';
import { compareVersions } from './version-order.ts';

test('Stable before beta before alpha, newer before older, other names last', () => {
  const sorted = ['foo10', 'v10beta3', 'v3beta1', 'v11alpha2', 'v12alpha1', 'v2', 'v1', 'foo1', 'v10', 'v11beta2'].sort(
    compareVersions,
  );
  expect(sorted).toEqual([
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'foo1',
    'foo10',
  ]);
});
