import { describe, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity } from '../../gen/types/core-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkInlineVolumeSpec, validatePersistentVolume, validatePersistentVolumeUpdate } from './validation.ts';

const volume = (spec: Partial<PersistentVolumeSpec> = {}): PersistentVolume => ({
  metadata: { name: 'vol' },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' }, ...spec },
  status: {},
});

const csi = { driver: 'd.example.com', volumeHandle: 'h' };
const off = { volumeAttributesClass: false };
const on = { volumeAttributesClass: true };
const onLabel = (key: string): VolumeNodeAffinity => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
});

describe('PersistentVolume', () => {
  test.each([
    { name: 'accepts a path of a host', spec: {}, rules: off, errors: [] },
    {
      name: 'wants a node for a local volume',
      spec: { hostPath: undefined, local: { path: '/x' } },
      rules: off,
      errors: ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
    },
    {
      name: 'refuses other resources than storage',
      spec: { capacity: { storage: '1', cpu: '1' } },
      rules: off,
      errors: [
        'spec.capacity: Unsupported value: ' +
          'core.ResourceList{"cpu":resource.Quantity{i:resource.int64Amount{value:1, scale:0}, ' +
          'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1", Format:"DecimalSI"}, "storage":' +
          'resource.Quantity{i:resource.int64Amount{value:1, scale:0}, ' +
          'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1", Format:"DecimalSI"}}: supported values: "storage"',
      ],
    },
    {
      name: 'wants both parts of a secret',
      spec: { hostPath: undefined, csi: { ...csi, nodeExpandSecretRef: {} } },
      rules: off,
      errors: [
        'spec.csi.nodeExpandSecretRef.name: Required value',
        'spec.csi.nodeExpandSecretRef.namespace: Required value',
      ],
    },
    {
      name: 'takes the name of a secret with dots',
      spec: { hostPath: undefined, csi: { ...csi, nodePublishSecretRef: { name: 'a.b', namespace: 'n' } } },
      rules: off,
      errors: [],
    },
    {
      name: 'wants names in a secret',
      spec: { hostPath: undefined, csi: { ...csi, nodePublishSecretRef: { name: 'a_b', namespace: 'a.b' } } },
      rules: off,
      errors: [
        expect.stringMatching(
          /^spec\.csi\.nodePublishSecretRef\.name: Invalid value: "a_b": a lowercase RFC 1123 subdomain/,
        ),
        'spec.csi.nodePublishSecretRef.namespace: Invalid value: "a.b": must not contain dots',
      ],
    },
    {
      name: 'wants CSI for a class of attributes',
      spec: { volumeAttributesClassName: 'gold' },
      rules: on,
      errors: ['spec.csi: Required value: has to be specified when using volumeAttributesClassName'],
    },
    {
      name: 'sees the root behind dots',
      spec: { hostPath: { path: '/a/..' }, persistentVolumeReclaimPolicy: 'Recycle' as const },
      rules: off,
      errors: [
        'spec.hostPath.path: Invalid value: "/a/..": must not contain \'..\'',
        "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
      ],
    },
  ])('PersistentVolume: $name', ({ spec, rules, errors }) => {
    expect(validatePersistentVolume(volume(spec), rules).map(fieldErrorText)).toEqual(errors);
  });

  test.each([
    {
      name: 'may get a secret for expanding',
      now: { hostPath: undefined, csi: { ...csi, controllerExpandSecretRef: { name: 's', namespace: 'n' } } },
      old: { hostPath: undefined, csi },
      field: undefined,
    },
    {
      name: 'may not change its source',
      now: { hostPath: { path: '/other' } },
      old: {},
      field: 'spec.persistentvolumesource',
    },
    {
      name: 'may get the current name of a label',
      now: { nodeAffinity: onLabel('topology.kubernetes.io/zone') },
      old: { nodeAffinity: onLabel('failure-domain.beta.kubernetes.io/zone') },
      field: undefined,
    },
    {
      name: 'may not get the old name of a label',
      now: { nodeAffinity: onLabel('failure-domain.beta.kubernetes.io/zone') },
      old: { nodeAffinity: onLabel('topology.kubernetes.io/zone') },
      field: 'nodeAffinity',
    },
    { name: 'may not lose its nodes', now: {}, old: { nodeAffinity: onLabel('a') }, field: 'nodeAffinity' },
    { name: 'may get nodes', now: { nodeAffinity: onLabel('a') }, old: {}, field: undefined },
  ])('PersistentVolume: $name', ({ now, old, field }) => {
    expect(validatePersistentVolumeUpdate(volume(now), volume(old), off).map((error) => error.field)).toEqual(
      field === undefined ? [] : [field],
    );
  });

  test('PersistentVolume inside an attachment has only what CSI needs', () => {
    const errors = new FieldErrors();
    checkInlineVolumeSpec(
      {
        accessModes: ['ReadWriteOnce'],
        csi,
        storageClassName: 'x',
        persistentVolumeReclaimPolicy: 'Delete',
        volumeMode: 'Block',
        claimRef: {},
      },
      FieldPath.of('v'),
      errors,
      off,
    );
    expect(errors.map(({ field }) => field)).toEqual([
      'v.claimRef',
      'v.persistentVolumeReclaimPolicy',
      'v.storageClassName',
      'v.volumeMode',
    ]);
  });
});
