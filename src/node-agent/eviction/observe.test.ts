import { expect, test } from 'vitest';
import { isMemoryShort } from './observe.ts';

const meminfo = 'MemTotal: 1000 kB\nMemFree: 100 kB\nInactive(file): 100 kB\n';

test.each([
  { name: 'no threshold', hard: {}, soft: {}, isShort: false },
  { name: 'a hard threshold that is not met', hard: { 'memory.available': '100Ki' }, soft: {}, isShort: false },
  { name: 'a hard threshold that is met', hard: { 'memory.available': '300Ki' }, soft: {}, isShort: true },
  { name: 'a soft threshold that is met', hard: {}, soft: { 'memory.available': '30%' }, isShort: true },
])('With $name memory that runs short is seen: $isShort', async ({ hard, soft, isShort }) => {
  const thresholds = { hard: hard as Record<string, string>, soft: soft as Record<string, string> };
  expect(await isMemoryShort(thresholds, () => Promise.resolve(meminfo))).toBe(isShort);
});
