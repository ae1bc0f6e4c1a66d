import { describe, expect, it } from 'vitest';
import type { PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { Ingress } from '../../api/gen/types/networking-v1.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { createDefaultIngressClass, createDefaultStorageClass } from './default-classes.ts';
import { createPersistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { attributesFor, objectsOf } from './testing/attributes.ts';

type Annotations = Readonly<Record<string, string>>;

const classOf = (name: string, annotations: Annotations = {}, more: object = {}): KubeObject => ({
  metadata: { name, annotations: { ...annotations }, creationTimestamp: '2026-01-01T00:00:00Z' },
  ...more,
});
const later = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, creationTimestamp: '2026-01-02T00:00:00Z' },
});
const claim = ({
  size = '1Gi',
  className,
  annotations = {},
  phase = 'Bound',
}: {
  size?: string;
  className?: string;
  annotations?: Annotations;
  phase?: string;
}): PersistentVolumeClaim =>
  ({
    metadata: { name: 'c', namespace: 'team', annotations: { ...annotations } },
    spec: {
      resources: { requests: { storage: size } },
      ...(className === undefined ? {} : { storageClassName: className }),
    },
    status: { phase },
  }) as PersistentVolumeClaim;

const oldClass = 'volume.beta.kubernetes.io/storage-class';

describe('PersistentVolumeClaimResize', () => {
  const classes = [
    classOf('grows', {}, { allowVolumeExpansion: true }),
    classOf('stays', {}, { allowVolumeExpansion: false }),
    classOf('silent'),
  ];
  const judge = async (
    old: PersistentVolumeClaim,
    object: PersistentVolumeClaim,
    more: object = {},
    objects = objectsOf({ 'storage.k8s.io/storageclasses': classes }),
  ): Promise<void> =>
    createPersistentVolumeClaimResize({ objects }).validate!(
      attributesFor('persistentvolumeclaims', object, { operation: 'UPDATE', oldObject: old, ...more }),
    );

  it.each([
    {
      name: 'a claim that grows, of a class whose volumes can',
      old: { className: 'grows' },
      changed: { className: 'grows', size: '2Gi' },
    },
    {
      name: 'a claim whose class is in the old annotation',
      old: {},
      changed: { annotations: { [oldClass]: 'grows' }, size: '2Gi' },
    },
    {
      name: 'the same size in other words',
      old: { className: 'stays', size: '1Gi' },
      changed: { className: 'stays', size: '1024Mi' },
    },
    {
      name: 'a claim that shrinks: validation answers for that',
      old: { phase: 'Pending', size: '2Gi' },
      changed: { phase: 'Pending', size: '1Gi' },
    },
  ])('Admits $name', async ({ old, changed }) => {
    await expect(judge(claim(old), claim(changed))).resolves.toBeUndefined();
  });

  it('PersistentVolumeClaimResize has nothing to say about a status', async () => {
    await expect(judge(claim({}), claim({ size: '2Gi' }), { subresource: 'status' })).resolves.toBeUndefined();
  });

  it('PersistentVolumeClaimResize looks again for a class that the cache does not know yet', async () => {
    const objects = objectsOf({}, { 'storage.k8s.io/storageclasses': classes });
    await expect(
      judge(claim({ className: 'grows' }), claim({ className: 'grows', size: '2Gi' }), {}, objects),
    ).resolves.toBeUndefined();
  });

  const onlyBound = 'persistentvolumeclaims "c" is forbidden: Only bound persistent volume claims can be expanded';
  const onlyDynamic =
    'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the ' +
    'storageclass that provisions the pvc must support resize';
  it.each([
    {
      name: 'a claim that is not bound',
      old: { className: 'grows', phase: 'Pending' },
      changed: { className: 'grows', size: '2Gi' },
      message: onlyBound,
    },
    {
      name: 'a claim of a class whose volumes stay',
      old: { className: 'stays' },
      changed: { className: 'stays', size: '2Gi' },
      message: onlyDynamic,
    },
    {
      name: 'a claim of a class that does not say',
      old: { className: 'silent' },
      changed: { className: 'silent', size: '2Gi' },
      message: onlyDynamic,
    },
    {
      name: 'a claim of a class that is gone',
      old: { className: 'gone' },
      changed: { className: 'gone', size: '2Gi' },
      message: onlyDynamic,
    },
    {
      name: 'a claim of no class',
      old: { className: '' },
      changed: { className: '', size: '2Gi' },
      message: onlyDynamic,
    },
  ])('PersistentVolumeClaimResize refuses growth of $name', async ({ old, changed, message }) => {
    await expect(judge(claim(old), claim(changed))).rejects.toMatchObject({ code: 403, reason: 'Forbidden', message });
  });
});

describe('DefaultStorageClass', () => {
  const marker = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  it.each([
    { name: 'the one that is marked', classes: [classOf('a'), classOf('b', marker)], given: {}, expected: 'b' },
    {
      name: 'the one with the old mark',
      classes: [classOf('a', { 'storageclass.beta.kubernetes.io/is-default-class': 'true' })],
      given: {},
      expected: 'a',
    },
    {
      name: 'the newest of several',
      classes: [classOf('a', marker), later(classOf('b', marker))],
      given: {},
      expected: 'b',
    },
    {
      name: 'the lower name of two as old',
      classes: [classOf('b', marker), classOf('a', marker)],
      given: {},
      expected: 'a',
    },
    {
      name: 'none where none is marked',
      classes: [classOf('a', { 'storageclass.kubernetes.io/is-default-class': 'false' })],
      given: {},
      expected: undefined,
    },
    { name: 'the one that it names', classes: [classOf('a', marker)], given: { className: 'x' }, expected: 'x' },
    { name: 'none where it wants none', classes: [classOf('a', marker)], given: { className: '' }, expected: '' },
    {
      name: 'no second one beside that in the old annotation',
      classes: [classOf('a', marker)],
      given: { annotations: { [oldClass]: 'x' } },
      expected: undefined,
    },
  ])('DefaultStorageClass gives a claim $name', async ({ classes, given, expected }) => {
    const object = claim(given);
    await createDefaultStorageClass({ objects: objectsOf({ 'storage.k8s.io/storageclasses': classes }) }).admit!(
      attributesFor('persistentvolumeclaims', object),
    );
    expect(object.spec.storageClassName).toBe(expected);
  });
});

describe('DefaultIngressClass', () => {
  const marker = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
  const resource = { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses' };
  it.each([
    { name: 'the one that is marked', classes: [classOf('a'), classOf('b', marker)], given: {}, expected: 'b' },
    {
      name: 'the newest of several',
      classes: [classOf('a', marker), later(classOf('b', marker))],
      given: {},
      expected: 'b',
    },
    {
      name: 'the lower name of two as old',
      classes: [classOf('b', marker), classOf('a', marker)],
      given: {},
      expected: 'a',
    },
    { name: 'none where none is marked', classes: [classOf('a')], given: {}, expected: undefined },
    {
      name: 'the one that it names',
      classes: [classOf('a', marker)],
      given: { spec: { ingressClassName: 'x' } },
      expected: 'x',
    },
    {
      name: 'none beside that in the old annotation',
      classes: [classOf('a', marker)],
      given: { metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'x' } } },
      expected: undefined,
    },
  ])('DefaultIngressClass gives an ingress $name', async ({ classes, given, expected }) => {
    const object = { metadata: { name: 'i', namespace: 'team' }, spec: {}, status: {}, ...given } as Ingress;
    await createDefaultIngressClass({ objects: objectsOf({ 'networking.k8s.io/ingressclasses': classes }) }).admit!(
      attributesFor('ingresses', object, { resource }),
    );
    expect(object.spec?.ingressClassName).toBe(expected);
  });
});
