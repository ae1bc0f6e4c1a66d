import { expect, test } from 'vitest';
import type { PersistentVolume, Pod } from '../../gen/types/core-v1.ts';
import { podReferences, volumeReferences } from './references.ts';

const spec = {
  containers: [],
  volumes: [
    { name: 'a', secret: { secretName: 's' } },
    { name: 'b', azureFile: { secretName: 'azure' } },
    { name: 'c', csi: { driver: 'd', nodePublishSecretRef: { name: 'csi' } } },
  ],
  serviceAccountName: 'x',
};
const pod = (annotations: Record<string, string> = {}): Pod =>
  ({ metadata: { name: 'p', annotations }, spec, status: {} }) as unknown as Pod;

test('A pod refers to secrets of volumes of any kind', () => {
  expect(podReferences(pod())).toMatchObject({ secrets: new Set(['s', 'azure', 'csi']), serviceAccount: 'x' });
});

test('A mirror pod refers to nothing: the node itself made it', () => {
  expect(podReferences(pod({ 'kubernetes.io/config.mirror': 'x' }))).toMatchObject({
    secrets: new Set(),
    serviceAccount: '',
  });
});

test.each([
  {
    name: 'that is not claimed',
    spec: { csi: { nodePublishSecretRef: { name: 's', namespace: 'n' } } },
    references: undefined,
  },
  {
    name: 'with secrets for the node',
    spec: {
      claimRef: { namespace: 'n', name: 'c' },
      csi: {
        nodeStageSecretRef: { name: 's', namespace: 'other' },
        controllerPublishSecretRef: { name: 'no', namespace: 'n' },
      },
    },
    references: { claim: 'n/c', secrets: ['other/s'] },
  },
  {
    name: 'with a secret in the namespace of the claim',
    spec: { claimRef: { namespace: 'n', name: 'c' }, azureFile: { secretName: 's' } },
    references: { claim: 'n/c', secrets: ['n/s'] },
  },
])('The references of a volume $name', ({ spec: volume, references }) => {
  expect(volumeReferences({ metadata: {}, spec: volume } as unknown as PersistentVolume)).toEqual(references);
});
