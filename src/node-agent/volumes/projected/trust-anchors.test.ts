import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { ClusterTrustBundle } from '../../../api/gen/types/certificates-v1alpha1.ts';
import type { ClusterTrustBundleProjection, Pod } from '../../../api/gen/types/core-v1.ts';
import { podOf } from '../../pod-lifecycle/testing/states.ts';
import { simulateNode } from '../../pods/testing/simulated-node.ts';
import { trustAnchors } from './trust-anchors.ts';

const pem = (body: string): string => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
const signerName = 'example.com/mine';
const bundle = (name: string, labels: Record<string, string>, ...bodies: string[]): ClusterTrustBundle => ({
  metadata: { name, labels },
  spec: { signerName, trustBundle: `# a comment\n${bodies.map(pem).join('\n')}` },
});
const bundles = [bundle('new', { live: 'yes' }, 'BBBB', 'AAAA'), bundle('old', { live: 'no' }, 'AAAA', 'CCCC')];
const objects = {
  trustBundle: (name: string) => Promise.resolve(bundles.find(({ metadata }) => metadata.name === name)),
  trustBundlesOf: (signer: string) => Promise.resolve(bundles.filter(({ spec }) => spec.signerName === signer)),
};

const missing = 'combination of signerName and labelSelector matched zero ClusterTrustBundles';

describe('Trust anchors', () => {
  test.each<{ name: string; source: ClusterTrustBundleProjection; bodies: string[] }>([
    { name: 'a bundle by its name', source: { name: 'new', path: '' }, bodies: ['AAAA', 'BBBB'] },
    { name: 'all of a signer', source: { signerName, labelSelector: {}, path: '' }, bodies: ['AAAA', 'BBBB', 'CCCC'] },
    {
      name: 'those of a signer with a label',
      source: { signerName, labelSelector: { matchLabels: { live: 'no' } }, path: '' },
      bodies: ['AAAA', 'CCCC'],
    },
    { name: 'an optional name that is absent', source: { name: 'none', optional: true, path: '' }, bodies: [] },
    { name: 'an optional signer without selector', source: { signerName, optional: true, path: '' }, bodies: [] },
  ])('Each certificate is there once of $name', async ({ source, bodies }) => {
    expect(await trustAnchors(source, objects)).toBe(bodies.map(pem).join(''));
  });

  test.each<{ name: string; source: ClusterTrustBundleProjection; says: string }>([
    {
      name: 'a name',
      source: { name: 'none', path: '' },
      says: 'while getting ClusterTrustBundle: clustertrustbundles.certificates.k8s.io "none" not found',
    },
    { name: 'a signer', source: { signerName: 'a/b', labelSelector: {}, path: '' }, says: missing },
    { name: 'a signer without selector', source: { signerName, path: '' }, says: missing },
  ])('It is an error that there is none of $name', async ({ source, says }) => {
    await expect(trustAnchors(source, objects)).rejects.toThrow(says);
  });

  async function nodeWith(hasTrustBundles: boolean) {
    const node = await simulateNode({
      config: { gates: { hasUserNamespaces: false, hasResize: false, hasImageVolumes: false, hasTrustBundles } },
    });
    Object.assign(node.context.objects, objects);
    const pod = podOf({ main: ['a'] });
    const containers = pod.spec.containers!.map((container) => ({
      ...container,
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
    }));
    const sources = [{ clusterTrustBundle: { name: 'new', path: 'roots.pem' } }];
    const volumes = [{ name: 'v', projected: { sources } }];
    node.workers.set({ ...pod, spec: { ...pod.spec, containers, volumes }, status: {} } as Pod);
    return node;
  }

  test.skipIf(process.getuid?.() !== 0)('A pod has them as a file, with the gate (mounting needs root)', async () => {
    const node = await nodeWith(true);
    await node.until(() => node.containers.calls.includes('startContainer a'));
    const file = `${node.directory}/root/pods/uid-1/volumes/kubernetes.io~projected/v/roots.pem`;
    expect(await readFile(file, 'utf8')).toBe(pem('AAAA') + pem('BBBB'));
    node.workers.remove('uid-1');
    await node.settle();
  });

  test('A pod says that it waits for them without the gate', async () => {
    const node = await nodeWith(false);
    await node.until(() => node.events.length > 0);
    expect(node.events[0]).toContain('ClusterTrustBundle projection is not supported in static kubelet mode');
  });
});
