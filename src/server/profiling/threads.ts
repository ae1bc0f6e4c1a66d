/** The threads of this process by their names, as Linux tells them. Elsewhere none is known. */
import { readdir, readFile } from 'node:fs/promises';
import type { Profile } from './pprof.ts';

export async function threadProfile(tasks = '/proc/self/task'): Promise<Profile> {
  const ids = await readdir(tasks).catch(() => []);
  // A thread may end in between.
  const names = await Promise.all(ids.map((id) => readFile(`${tasks}/${id}/comm`, 'utf8').catch(() => '')));
  const counts = new Map<string, number>();
  for (const name of names.map((text) => text.trim()).filter(Boolean)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    sampleTypes: [{ type: 'threadcreate', unit: 'count' }],
    samples: [...counts].map(([functionName, count]) => ({
      stack: [{ functionName, url: '', lineNumber: 0 }],
      values: [count],
    })),
    periodType: { type: 'threadcreate', unit: 'count' },
    period: 1,
    begunAt: Date.now(),
    durationMs: 0,
  };
}
