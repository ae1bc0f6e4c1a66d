import { expect, test } from 'vitest';
import type { PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import { classesOfClaim, classesOfVolume, letGo } from './sync.ts';

const claim = (
  volumeAttributesClassName?: string,
  status: Partial<PersistentVolumeClaim['status']> = {},
): PersistentVolumeClaim => ({
  metadata: { name: 'c' },
  spec: { resources: {}, ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }) },
  status,
});

test.each([
  { title: 'none', of: claim(), is: [] },
  { title: 'none by an empty name', of: claim(''), is: [] },
  { title: 'the one that it asks for', of: claim('a'), is: ['a'] },
  { title: 'the one that it has', of: claim('a', { currentVolumeAttributesClassName: 'b' }), is: ['a', 'b'] },
  {
    title: 'the one that it is to get',
    of: claim('a', { modifyVolumeStatus: { status: 'Pending', targetVolumeAttributesClassName: 'c' } }),
    is: ['a', 'c'],
  },
  { title: 'one once', of: claim('a', { currentVolumeAttributesClassName: 'a' }), is: ['a'] },
])('A claim uses $title', ({ of, is }) => {
  expect(classesOfClaim(of)).toEqual(is);
});

test('A volume uses its class, and what is not used any more is let go.', () => {
  const volume = { metadata: { name: 'pv' }, spec: { volumeAttributesClassName: 'a' }, status: {} };
  expect([classesOfVolume(volume), classesOfVolume({ ...volume, spec: {} })]).toEqual([['a'], []]);
  expect(letGo(['a', 'b'], ['b', 'c'])).toEqual(['a']);
});
