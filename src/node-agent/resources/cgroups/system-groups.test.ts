import { expect, test } from 'vitest';
import { placeProcesses } from './system-groups.ts';

test.each([
  { agent: '', system: '', moves: [] },
  { agent: '/agent', system: '', moves: ['make /agent', '/agent 7'] },
  { agent: '/agent', system: '/system', moves: ['make /agent', '/agent 7', 'make /system', '/system 20'] },
])('With the groups "$agent" and "$system" processes are moved: $moves', async ({ agent, system, moves }) => {
  const seen: string[] = [];
  await placeProcesses({
    files: {
      make: (path) => Promise.resolve(seen.push(`make ${path}`) > 0),
      move: (path, pid) => Promise.resolve(void seen.push(`${path} ${pid}`)),
      processes: () => Promise.resolve([1, 2, 7, 20]),
    },
    agent,
    system,
    pid: 7,
    isKernelThread: (pid) => Promise.resolve(pid === 2),
  });
  expect(seen).toEqual(moves);
});
