import { describe, expect, test } from 'vitest';
import { defaultControllerManagerOptions } from '../manager/options.ts';
import {
  loadTemplate,
  namespaceOf,
  readTemplate,
  recycledSource,
  recyclerPod,
  timeoutSeconds,
} from './recycler-pod.ts';
import { volumeOf } from './testing/objects.ts';

const { recyclerHostPath, recyclerNfs } = defaultControllerManagerOptions.persistentVolumeBinder;

describe('the pod that empties a volume', () => {
  test('The pod that empties a volume has it in the place of its first volume, and a time for it', async () => {
    const volume = volumeOf('pv', { hostPath: { path: '/a', type: '' }, capacity: { storage: '3Gi' } });
    const template = await loadTemplate('HostPath', recyclerHostPath);
    const pod = recyclerPod(volume, recycledSource(volume)!, template);
    expect(pod).toMatchObject({
      metadata: { name: 'recycler-for-pv', namespace: 'default' },
      spec: {
        restartPolicy: 'Never',
        activeDeadlineSeconds: 90,
        volumes: [{ name: 'vol', hostPath: { path: '/a' } }],
        containers: [{ command: ['/bin/sh'], volumeMounts: [{ name: 'vol', mountPath: '/scrub' }] }],
      },
    });
  });

  test('The pod that empties a volume is like that of the file, in its namespace', () => {
    const text =
      'apiVersion: v1\nkind: Pod\nmetadata: {generateName: x-, namespace: ops, labels: {a: b}}\n' +
      'spec: {volumes: [{name: data}, {name: tools, emptyDir: {}}], containers: [{name: c, image: scrub:1}]}\n';
    const volume = volumeOf('pv', { nfs: { server: 's', path: '/p' } });
    const template = { ...recyclerNfs, pod: readTemplate(Buffer.from(text)) };
    const pod = recyclerPod(volume, recycledSource(volume)!, template);
    expect([namespaceOf(template), pod.metadata]).toEqual([
      'ops',
      { namespace: 'ops', labels: { a: 'b' }, name: 'recycler-for-pv' },
    ]);
    expect(pod.spec).toMatchObject({
      volumes: [
        { name: 'data', nfs: { server: 's', path: '/p' } },
        { name: 'tools', emptyDir: {} },
      ],
      containers: [{ image: 'scrub:1' }],
      activeDeadlineSeconds: 300,
    });
  });

  test.each([
    { storage: '1Gi', seconds: 60 },
    { storage: '2Gi', seconds: 60 },
    { storage: '100Gi', seconds: 3000 },
    { storage: '2999Mi', seconds: 60 },
    { storage: '1', seconds: 60 },
  ])('The pod that empties a volume has $seconds s for $storage', ({ storage, seconds }) => {
    expect(timeoutSeconds(volumeOf('pv', { capacity: { storage } }), recyclerHostPath)).toBe(seconds);
  });

  test('There is none for other volumes.', () => {
    expect(recycledSource(volumeOf('pv', { csi: { driver: 'd', volumeHandle: 'h' } }))).toBeUndefined();
  });
});

describe('a file with such a pod', () => {
  test.each([
    { title: 'that is empty', text: '', says: 'file was empty' },
    { title: 'with another object', text: 'apiVersion: v1\nkind: List\n', says: 'it is no Pod of v1' },
    {
      title: 'without a volume',
      text: 'apiVersion: v1\nkind: Pod\nspec: {containers: []}\n',
      says: 'pod specification does not contain any volume(s)',
    },
  ])('$title is refused', ({ text, says }) => {
    expect(() => readTemplate(Buffer.from(text))).toThrow(says);
  });

  test('A file with a recycler pod that is missing is named', async () => {
    const options = { ...recyclerNfs, templateFile: '/does/not/exist' };
    await expect(loadTemplate('NFS', options)).rejects.toThrow(
      'Could not create NFS recycler pod from file /does/not/exist: ENOENT',
    );
  });
});
