/** Profiles as text for people (`?debug=1`), in the manner of Go: a line of values, and its stack below it. */
import type { Profile } from './pprof.ts';

/** @param name `heap` */
export function formatProfile(name: string, { sampleTypes, samples, periodType, period }: Profile): string {
  const all = [...samples].toSorted((a, b) => b.values.at(-1)! - a.values.at(-1)!);
  const totals = sampleTypes.map((_, index) => all.reduce((sum, { values }) => sum + values[index]!, 0));
  const columns = sampleTypes.map(({ type, unit }) => `${type}/${unit}`).join(': ');
  const lines = [
    `${name} profile: total ${totals.join(': ')}`,
    `# ${columns} @ ${periodType.type}/${period}`,
    ...all.flatMap(({ stack, values }) => [
      '',
      `${values.join(': ')} @`,
      ...stack.map(({ functionName, url, lineNumber }) =>
        url === '' ? `#\t${functionName}` : `#\t${functionName || '(anonymous)'}\t${url}:${lineNumber + 1}`,
      ),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}
