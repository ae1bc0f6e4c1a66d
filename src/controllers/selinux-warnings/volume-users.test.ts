import { expect, test } from 'vitest';
import { messageOf, VolumeUsers } from './volume-users.ts';

const mount = (label: string): { label: string; policy: string } => ({ label, policy: 'MountOption' });

test('Pods with other labels for a volume are told of, both sides, until one is gone.', () => {
  const users = new VolumeUsers();
  expect(users.add('v', 'd', 'n/a', mount('x'))).toEqual([]);
  expect(users.add('w', 'd', 'n/b', mount('y'))).toEqual([]);
  expect(users.add('v', 'd', 'n/b', mount('y'))).toEqual([
    { property: 'SELinuxLabel', pod: 'n/b', value: 'y', other: 'n/a', otherValue: 'x' },
    { property: 'SELinuxLabel', pod: 'n/a', value: 'x', other: 'n/b', otherValue: 'y' },
  ]);
  expect([...users.conflicts()]).toHaveLength(2);
  expect(users.podsOf('d').sort()).toEqual(['n/a', 'n/b', 'n/b']);
  users.remove('n/a');
  expect([[...users.conflicts()], users.podsOf('d'), users.podsOf('e')]).toEqual([[], ['n/b', 'n/b'], []]);
});

test('Other policies are told of, and the same label is no conflict.', () => {
  const users = new VolumeUsers();
  users.add('v', 'd', 'n/a', mount('x'));
  expect(users.add('v', 'd', 'n/b', mount('x'))).toEqual([]);
  const found = users.add('v', 'd', 'n/c', { label: 'x', policy: 'Recursive' });
  expect(found.map(({ property, pod }) => `${property} ${pod}`).sort()).toEqual([
    'SELinuxChangePolicy n/a',
    'SELinuxChangePolicy n/b',
    'SELinuxChangePolicy n/c',
    'SELinuxChangePolicy n/c',
  ]);
});

const conflict = { property: 'SELinuxLabel', pod: 'n/a', value: 'x', other: 'n/b', otherValue: 'y' } as const;
const consequence = 'If both pods land on the same node, only one of them may access the volume.';

test.each([
  {
    title: 'names pods of the same namespace',
    of: conflict,
    is:
      'SELinuxLabel "x" conflicts with pod b that uses the same volume as this pod with SELinuxLabel "y". ' +
      consequence,
  },
  {
    title: 'does not name others',
    of: { ...conflict, other: 'secret/b' },
    is:
      'SELinuxLabel "x" conflicts with another pod that uses the same volume as this pod with a different ' +
      `SELinuxLabel. ${consequence}`,
  },
])('The message $title', ({ of, is }) => {
  expect(messageOf(of)).toBe(is);
});
