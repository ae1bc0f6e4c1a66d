import { describe, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeSpec, Volume } from '../../gen/types/core-v1.ts';
import { driverOfPlugin, migratedInline, migratedVolume, pluginsOfNode } from './migration.ts';

const all = (): boolean => true;
const none = (): boolean => false;

const volumeWith = (
  spec: PersistentVolumeSpec,
  metadata: Partial<PersistentVolume['metadata']> = {},
): PersistentVolume => ({ metadata: { name: 'pv', ...metadata }, spec, status: {} });

const volumes: readonly {
  readonly title: string;
  readonly spec: PersistentVolumeSpec;
  readonly metadata?: Partial<PersistentVolume['metadata']>;
  readonly driver?: string;
  readonly handle?: string;
}[] = [
  {
    title: 'an EBS volume by its id',
    spec: { awsElasticBlockStore: { volumeID: 'vol-1' } },
    driver: 'ebs.csi.aws.com',
    handle: 'vol-1',
  },
  {
    title: 'an EBS volume with its zone',
    spec: { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1' } },
    driver: 'ebs.csi.aws.com',
    handle: 'vol-1',
  },
  {
    title: 'an EBS volume with an empty zone',
    spec: { awsElasticBlockStore: { volumeID: 'aws:///vol-1' } },
    driver: 'ebs.csi.aws.com',
    handle: 'vol-1',
  },
  { title: 'no volume of an unknown EBS id', spec: { awsElasticBlockStore: { volumeID: 'aws://zone/disk-1' } } },
  {
    title: 'a disk of GCE without a zone',
    spec: { gcePersistentDisk: { pdName: 'd' } },
    driver: 'pd.csi.storage.gke.io',
    handle: 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d',
  },
  {
    title: 'a disk of GCE with a zone',
    spec: { gcePersistentDisk: { pdName: 'd' } },
    metadata: { labels: { 'topology.kubernetes.io/zone': 'europe-west1-b' } },
    driver: 'pd.csi.storage.gke.io',
    handle: 'projects/UNSPECIFIED/zones/europe-west1-b/disks/d',
  },
  {
    title: 'a disk of GCE in several zones',
    spec: { gcePersistentDisk: { pdName: 'd' } },
    metadata: { labels: { 'failure-domain.beta.kubernetes.io/zone': 'europe-west1-b__europe-west1-c' } },
    driver: 'pd.csi.storage.gke.io',
    handle: 'projects/UNSPECIFIED/regions/europe-west1/disks/d',
  },
  {
    title: 'no disk of GCE in zones of several regions',
    spec: { gcePersistentDisk: { pdName: 'd' } },
    metadata: { labels: { 'topology.kubernetes.io/zone': 'europe-west1-b__us-east1-c' } },
  },
  {
    title: 'a Cinder volume',
    spec: { cinder: { volumeID: 'c-1' } },
    driver: 'cinder.csi.openstack.org',
    handle: 'c-1',
  },
  {
    title: 'an Azure disk',
    spec: { azureDisk: { diskName: 'd', diskURI: '/subscriptions/s/d' } },
    driver: 'disk.csi.azure.com',
    handle: '/subscriptions/s/d',
  },
  {
    title: 'an Azure share with the group, the account and the namespace of its claim',
    spec: {
      azureFile: { secretName: 'azure-storage-account-acc-secret', shareName: 'share' },
      claimRef: { namespace: 'ns' },
    },
    metadata: { annotations: { 'kubernetes.io/azure-file-resource-group': 'rg' } },
    driver: 'file.csi.azure.com',
    handle: 'rg#acc#share#pv#ns',
  },
  {
    title: 'a vSphere disk',
    spec: { vsphereVolume: { volumePath: '[ds] a/b.vmdk' } },
    driver: 'csi.vsphere.vmware.com',
    handle: '[ds] a/b.vmdk',
  },
  {
    title: 'a Portworx volume',
    spec: { portworxVolume: { volumeID: 'p-1' } },
    driver: 'pxd.portworx.com',
    handle: 'p-1',
  },
  { title: 'no volume of another type', spec: { nfs: { server: 's', path: '/' } } },
];

test.each(volumes)('Translates $title', ({ spec, metadata, driver, handle }) => {
  const { csi } = migratedVolume(volumeWith(spec, metadata), all)?.spec ?? {};
  expect([csi?.driver, csi?.volumeHandle]).toEqual([driver, handle]);
});

test.each([
  { modes: ['ReadWriteMany'], becomes: ['ReadWriteOnce'] },
  { modes: ['ReadWriteOnce', 'ReadOnlyMany'], becomes: ['ReadWriteOnce'] },
  { modes: ['ReadOnlyMany'], becomes: ['ReadOnlyMany'] },
  { modes: [], becomes: [] },
] as const)('A disk of GCE with the modes $modes has $becomes', ({ modes, becomes }) => {
  const volume = volumeWith({ gcePersistentDisk: { pdName: 'd' }, accessModes: [...modes] });
  expect(migratedVolume(volume, all)?.spec.accessModes).toEqual(becomes);
});

const inline: readonly {
  readonly title: string;
  readonly volume: Volume;
  readonly name: string;
  readonly spec: object;
}[] = [
  {
    title: 'EBS volume',
    volume: { name: 'v', awsElasticBlockStore: { volumeID: 'vol-1', fsType: 'ext4', readOnly: true, partition: 2 } },
    name: 'ebs.csi.aws.com-vol-1',
    spec: {
      csi: {
        driver: 'ebs.csi.aws.com',
        volumeHandle: 'vol-1',
        fsType: 'ext4',
        readOnly: true,
        volumeAttributes: { partition: '2' },
      },
      accessModes: ['ReadWriteOnce'],
    },
  },
  {
    title: 'disk of GCE for readers',
    volume: { name: 'v', gcePersistentDisk: { pdName: 'd', readOnly: true } },
    name: 'pd.csi.storage.gke.io-d',
    spec: {
      csi: {
        driver: 'pd.csi.storage.gke.io',
        volumeHandle: 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d',
        readOnly: true,
        volumeAttributes: { partition: '' },
      },
      accessModes: ['ReadOnlyMany'],
      volumeMode: 'Filesystem',
    },
  },
  {
    title: 'Azure disk',
    volume: { name: 'v', azureDisk: { diskName: 'd', diskURI: 'uri', cachingMode: 'None', kind: 'Shared' } },
    name: 'disk.csi.azure.com-d',
    spec: {
      csi: {
        driver: 'disk.csi.azure.com',
        volumeHandle: 'uri',
        volumeAttributes: { kind: 'Shared', 'csi-migration': 'true', cachingMode: 'None' },
      },
      accessModes: ['ReadWriteOnce'],
    },
  },
  {
    title: 'Azure share',
    volume: { name: 'v', azureFile: { secretName: 'sec', shareName: 'share' } },
    name: 'file.csi.azure.com-share',
    spec: {
      csi: {
        driver: 'file.csi.azure.com',
        volumeHandle: '#sec#share#v#ns',
        volumeAttributes: { sharename: 'share' },
        nodeStageSecretRef: { name: 'sec', namespace: 'ns' },
      },
      accessModes: ['ReadWriteMany'],
    },
  },
];

test.each(inline)('Translates an $title that stands in a pod.', ({ volume, name, spec }) => {
  expect(migratedInline(volume, 'ns', all)).toMatchObject({ name, spec });
});

describe('the names of provisioners', () => {
  test.each([
    ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
    ['kubernetes.io/host-path', undefined],
    ['csi.example.com', undefined],
  ])('%s has the driver %s', (plugin, driver) => {
    expect(driverOfPlugin(plugin, all)).toBe(driver);
  });

  test('Portworx is migrated with its gate only', () => {
    const volume = volumeWith({ portworxVolume: { volumeID: 'p' } });
    expect([driverOfPlugin('kubernetes.io/portworx-volume', none), migratedVolume(volume, none)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

test('A node says in an annotation which types it leaves to drivers.', () => {
  const annotations = { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/aws-ebs,kubernetes.io/cinder' };
  expect([...pluginsOfNode(annotations)]).toEqual(['kubernetes.io/aws-ebs', 'kubernetes.io/cinder']);
  expect([...pluginsOfNode(undefined)]).toEqual([]);
});
