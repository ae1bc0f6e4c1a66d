import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { CSIDriver } from '../../../api/gen/types/storage-v1.ts';
import { type Abilities, capabilityOf, groupSetter, seLinuxContext } from './capability.ts';
import type { CsiSource } from './csi-source.ts';
import type { NodeAbility } from './gen/csi.ts';

const source = (more: Partial<CsiSource> = {}): CsiSource => ({
  driver: 'disk.test',
  handle: 'h1',
  isEphemeral: false,
  isReadOnly: false,
  fsType: 'ext4',
  attributes: {},
  accessModes: ['ReadWriteOnce'],
  mountOptions: [],
  isBlock: false,
  publishSecret: undefined,
  stageSecret: undefined,
  expandSecret: undefined,
  name: 'pv1',
  ...more,
});
const pod = (securityContext: object = { fsGroup: 7 }): Pod => ({ metadata: {}, spec: { securityContext } }) as never;
const driver = (spec: CSIDriver['spec']): CSIDriver => ({ metadata: {}, spec });
const able = (...abilities: NodeAbility[]): Abilities => new Set(abilities);

describe('How a volume is opened', () => {
  test.each([
    { mode: 'ReadWriteOnce', several: false, expected: 'SINGLE_NODE_WRITER' },
    { mode: 'ReadWriteOnce', several: true, expected: 'SINGLE_NODE_MULTI_WRITER' },
    { mode: 'ReadWriteOncePod', several: false, expected: 'SINGLE_NODE_WRITER' },
    { mode: 'ReadWriteOncePod', several: true, expected: 'SINGLE_NODE_SINGLE_WRITER' },
    { mode: 'ReadOnlyMany', several: true, expected: 'MULTI_NODE_READER_ONLY' },
    { mode: 'ReadWriteMany', several: true, expected: 'MULTI_NODE_MULTI_WRITER' },
  ])('A volume of mode $mode is opened as $expected (several writers: $several)', ({ mode, several, expected }) => {
    const abilities = several ? able('ABLE_SINGLE_NODE_MULTI_WRITER') : able();
    expect(capabilityOf(source({ accessModes: [mode] }), { abilities }).accessMode).toEqual({ mode: expected });
  });

  test('A context is an option of the mount', () => {
    const { mount } = capabilityOf(source({ mountOptions: ['ro'] }), { abilities: able(), context: 'u:r:t:s0' });
    expect(mount?.mountFlags).toEqual(['ro', 'context="u:r:t:s0"']);
  });
});

describe('Who gives a volume to the group of its pod', () => {
  test.each([
    { name: 'no group', pod: pod({}), policy: 'File', more: {}, expected: 'none' },
    {
      name: 'policy File',
      pod: pod(),
      policy: 'File',
      more: { fsType: '', accessModes: ['ReadWriteMany'] },
      expected: 'agent',
    },
    { name: 'policy None', pod: pod(), policy: 'None', more: {}, expected: 'none' },
    { name: 'the usual policy', pod: pod(), policy: undefined, more: {}, expected: 'agent' },
    {
      name: 'the usual policy without a file system',
      pod: pod(),
      policy: undefined,
      more: { fsType: '' },
      expected: 'none',
    },
    {
      name: 'the usual policy for several nodes',
      pod: pod(),
      policy: undefined,
      more: { accessModes: ['ReadWriteMany'] },
      expected: 'none',
    },
    {
      name: 'the usual policy for one pod',
      pod: pod(),
      policy: undefined,
      more: { accessModes: ['ReadWriteOncePod'] },
      expected: 'agent',
    },
    { name: 'a volume to read', pod: pod(), policy: 'File', more: { isReadOnly: true }, expected: 'none' },
    { name: 'a device', pod: pod(), policy: 'File', more: { isBlock: true }, expected: 'none' },
    {
      name: 'a driver that does it',
      pod: pod(),
      policy: 'None',
      more: {},
      abilities: able('VOLUME_MOUNT_GROUP'),
      expected: 'driver',
    },
  ])('With $name the group is set by: $expected', ({ pod: own, policy, more, abilities = able(), expected }) => {
    const spec = policy === undefined ? {} : { fsGroupPolicy: policy };
    expect(groupSetter(own, source(more), driver(spec as CSIDriver['spec']), abilities)).toBe(expected);
  });
});

describe('SELinux contexts of mounts', () => {
  const once = source({ accessModes: ['ReadWriteOncePod'] });
  const labelled = pod({ seLinuxOptions: { level: 's0:c1,c2' } });
  test.each([
    { name: 'without SELinux', own: labelled, on: false, of: once, does: true, expected: undefined },
    { name: 'for a driver that cannot do it', own: labelled, on: true, of: once, does: false, expected: undefined },
    { name: 'for a volume of several pods', own: labelled, on: true, of: source(), does: true, expected: undefined },
    { name: 'for a pod without a level', own: pod(), on: true, of: once, does: true, expected: undefined },
    {
      name: 'for a volume of one pod',
      own: labelled,
      on: true,
      of: once,
      does: true,
      expected: 'system_u:object_r:container_file_t:s0:c1,c2',
    },
  ])('The context $name is $expected', ({ own, on, of, does, expected }) => {
    expect(seLinuxContext(own, of, driver({ seLinuxMount: does }), on)).toBe(expected);
  });
});
