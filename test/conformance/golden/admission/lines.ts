/** Lines of texts, as the recordings have them: metrics, and dumps of priority and fairness. */
import { differences } from '../compare.ts';
import type { Placeholders } from '../placeholders.ts';

/** Labels of metrics are in no order. */
const sortedLabels = (line: string): string =>
  line.replace(
    /\{(.*)\}/,
    (_, labels: string) =>
      `{${labels
        .split(/,(?=[a-z_]+=")/)
        .sort()
        .join(',')}}`,
  );

/** In dumps the number of a queue is left out, and so are seat-seconds. */
const dumped = (line: string, own: string): string =>
  line
    .replace(/ +/g, ' ')
    .replace(new RegExp(`^(l-${own}, (?:s-${own}, )?)\\d+,(?! (?:true|false))`), '$1<queue>,')
    .replace(/\d+\.\d+ss/g, '<seat seconds>');

const withoutValue = (line: string): string => line.replace(/\} \S+$/, '}');

interface Context {
  /** What stands for `<u>`. */
  readonly own: string;
  readonly placeholders: Placeholders;
}

/** @param only which lines were recorded; values of some metrics were not */
export function lineDifferences(
  only: string,
  recorded: readonly string[],
  text: string,
  { own, placeholders }: Context,
): string[] {
  const expected = recorded.map((line) => sortedLabels(placeholders.fill(line)));
  const isBare = new Set(expected.filter((line) => line.endsWith('}')));
  const wanted = new RegExp(placeholders.fill(only));
  const found = text
    .split('\n')
    .filter((line) => wanted.test(line) && !line.includes('_bucket{'))
    .map((line) => sortedLabels(dumped(line, own)))
    .map((line) => (isBare.has(withoutValue(line)) ? withoutValue(line) : line));
  return differences(expected.toSorted(), found.toSorted(), placeholders, 'lines');
}
