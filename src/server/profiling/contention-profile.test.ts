import { expect, test } from 'vitest';
import { ContentionProfile } from './contention-profile.ts';

const signal = new AbortController().signal;

test('Stalls with one stack are one entry, and the number of stacks is limited', async () => {
  const profile = new ContentionProfile();
  for (let index = 0; index < 1200; index++) profile.add({ seconds: 1, stack: [`f${index} (a.js:1:1)`] });
  profile.add({ seconds: 2, stack: ['f0 (a.js:1:1)'] });
  const samples = [...(await profile.profile(0, signal)).samples];
  expect(samples).toHaveLength(1001);
  expect(samples[0]).toEqual({ stack: [{ functionName: 'f0', url: 'a.js', lineNumber: 0 }], values: [2, 3e9] });
  expect(samples.at(-1)).toMatchObject({ stack: [{ functionName: '(other)' }], values: [200, 200e9] });
});

test('A profile for a time has only what came in it', async () => {
  const profile = new ContentionProfile();
  profile.add({ seconds: 1, stack: ['old'] });
  const end = new AbortController();
  const asked = profile.profile(1e6, end.signal);
  profile.add({ seconds: 0.5, stack: ['new'] });
  end.abort();
  expect([...(await asked).samples].map(({ stack, values }) => [stack[0]!.functionName, values])).toEqual([
    ['new', [1, 5e8]],
  ]);
});
