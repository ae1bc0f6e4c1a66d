import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PersistentVolume } from '../../../src/api/gen/types/core-v1.ts';
import { defaultControllerManagerOptions } from '../../../src/controllers/manager/options.ts';
import { type ControllerCluster, startControllerCluster } from './controller-cluster.ts';

const template = `
apiVersion: v1
kind: Pod
metadata: {namespace: kube-system, labels: {from: file}}
spec: {restartPolicy: Never, volumes: [{name: data}], containers: [{name: c, image: 'scrub:1'}]}
`;
const accessModes = ['ReadWriteOnce' as const];
const waitMs = 5000;

let folder: string;
let cluster: ControllerCluster;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'recycler-'));
  const templateFile = path.join(folder, 'pod.yaml');
  await writeFile(templateFile, template);
  const { persistentVolumeBinder } = defaultControllerManagerOptions;
  cluster = await startControllerCluster({
    controllers: ['persistentvolume-binder-controller'],
    options: {
      persistentVolumeBinder: {
        ...{ ...persistentVolumeBinder, syncPeriodMs: 200, enableHostPathProvisioner: true },
        recyclerNfs: { ...persistentVolumeBinder.recyclerNfs, templateFile, minimumSeconds: 7 },
      },
    },
    serverFlags: ['--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection'],
  });
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const volumeNamed = (name: string): Promise<PersistentVolume> => cluster.client.core.v1.persistentvolumes.get(name);

const reach = (name: string, phase: string): Promise<void> =>
  vi.waitFor(async () => expect((await volumeNamed(name)).status.phase).toBe(phase), waitMs);

const createClaim = async (name: string, storageClassName: string): Promise<void> => {
  await cluster.client.core.v1.persistentvolumeclaims.create({
    metadata: { name, namespace: 'default' },
    spec: { accessModes, resources: { requests: { storage: '1Gi' } }, storageClassName },
  });
};

const volumeEvents = async (name: string): Promise<string[]> =>
  (await cluster.client.core.v1.events.list()).items
    .filter(({ involvedObject }) => involvedObject.kind === 'PersistentVolume' && involvedObject.name === name)
    .map(({ reason, message }) => `${reason}: ${message}`);

test('A volume to recycle is emptied by a pod of the template, and is free again when that has ended', async () => {
  const { persistentvolumes, persistentvolumeclaims, pods, events } = cluster.client.core.v1;
  const scrubbers = pods.namespace('kube-system');
  await persistentvolumes.create({
    metadata: { name: 'share' },
    spec: {
      ...{ accessModes, capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: 'Recycle' as const },
      ...{ storageClassName: '', nfs: { server: 'a.example', path: '/a' } },
    },
  });
  await createClaim('share', '');
  await reach('share', 'Bound');
  await persistentvolumeclaims.namespace('default').delete('share');
  const failed = await vi.waitFor(() => scrubbers.get('recycler-for-share'), waitMs);
  expect(failed).toMatchObject({
    metadata: { labels: { from: 'file' } },
    spec: { activeDeadlineSeconds: 30, volumes: [{ name: 'data', nfs: { server: 'a.example', path: '/a' } }] },
  });
  await scrubbers.status.patch('recycler-for-share', { merge: { status: { phase: 'Failed', message: 'no share' } } });
  await vi.waitFor(async () => {
    expect(await volumeEvents('share')).toContain(
      'VolumeFailedRecycle: Recycle failed: failed to recycle volume: no share',
    );
  }, waitMs);
  const second = await vi.waitFor(async () => {
    const pod = await scrubbers.get('recycler-for-share');
    expect(pod.metadata.uid).not.toBe(failed.metadata.uid);
    return pod;
  }, waitMs);
  const { name, namespace, uid } = second.metadata;
  await events.namespace('kube-system').create({
    metadata: { name: 'pulled', namespace: 'kube-system' },
    involvedObject: { kind: 'Pod', name: name!, namespace: namespace!, uid: uid! },
    ...{ type: 'Normal', reason: 'Pulled', message: 'the image is there' },
  });
  await vi.waitFor(async () => {
    expect(await volumeEvents('share')).toContain('RecyclerPod: Recycler pod: the image is there');
  }, waitMs);
  await scrubbers.status.patch('recycler-for-share', { merge: { status: { phase: 'Succeeded' } } });
  await reach('share', 'Available');
  expect((await volumeNamed('share')).spec.claimRef).toBeUndefined();
  await vi.waitFor(
    async () => expect(await volumeEvents('share')).toContain('VolumeRecycled: Volume recycled'),
    waitMs,
  );
  expect((await scrubbers.list()).items).toEqual([]);
});

test('With --enable-hostpath-provisioner a claim gets a folder, which is deleted with its volume', async () => {
  const { persistentvolumes, persistentvolumeclaims } = cluster.client.core.v1;
  const claims = persistentvolumeclaims.namespace('default');
  await cluster.client.storage.v1.storageclasses.create({
    metadata: { name: 'folders' },
    provisioner: 'kubernetes.io/host-path',
  });
  await createClaim('folder', 'folders');
  const { spec } = await vi.waitFor(async () => {
    const claim = await claims.get('folder');
    expect(claim.status.phase).toBe('Bound');
    return claim;
  }, waitMs);
  const volume = await volumeNamed(spec.volumeName!);
  const made = volume.spec.hostPath!.path!;
  expect(made).toMatch(/^\/tmp\/hostpath_pv\//);
  await access(made);
  await claims.delete('folder');
  await vi.waitFor(
    async () =>
      expect((await persistentvolumes.list()).items.map(({ metadata }) => metadata.name)).not.toContain(
        spec.volumeName,
      ),
    waitMs,
  );
  await expect(access(made)).rejects.toThrow('ENOENT');
});
