import { expect, test } from 'vitest';
import { generateKey } from './generate-key.ts';

test.each([
  { name: 'that is made', random: undefined, told: ['generated'] },
  {
    name: 'for which there are no random bytes',
    random: () => {
      throw new Error('no entropy');
    },
    told: ['failed'],
  },
])('A key $name is counted as such', ({ random, told }) => {
  const observed: string[] = [];
  const observer = {
    keyGenerated: () => void observed.push('generated'),
    keyFailed: () => void observed.push('failed'),
  };
  if (random === undefined) expect(generateKey(32, observer)).toHaveLength(32);
  else expect(() => generateKey(32, observer, random)).toThrow('no entropy');
  expect(observed).toEqual(told);
});
