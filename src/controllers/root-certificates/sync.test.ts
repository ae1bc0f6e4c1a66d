import { expect, test } from 'vitest';
import type { ConfigMap } from '../../api/gen/types/core-v1.ts';
import { correctedConfigMap, newConfigMap } from './sync.ts';

const right = newConfigMap('team', 'CA') as ConfigMap;
const { annotations } = right.metadata;

test.each([
  { name: 'is left when it is as it was made', configMap: right, corrected: undefined },
  {
    name: 'is left with another description than this version gives',
    configMap: { ...right, metadata: { ...right.metadata, annotations: { 'kubernetes.io/description': 'older' } } },
    corrected: undefined,
  },
  {
    name: 'has the certificate and nothing else as its data',
    configMap: { ...right, data: { 'ca.crt': 'other', more: 'x' } },
    corrected: right,
  },
  {
    name: 'gets its description again beside annotations and labels of others',
    configMap: { ...right, metadata: { ...right.metadata, labels: { a: 'b' }, annotations: { c: 'd' } } },
    corrected: {
      ...right,
      metadata: { ...right.metadata, labels: { a: 'b' }, annotations: { c: 'd', ...annotations } },
    },
  },
])('A config map with the root certificate $name', ({ configMap, corrected }) => {
  expect(correctedConfigMap(configMap as ConfigMap, 'CA')).toEqual(corrected);
});
