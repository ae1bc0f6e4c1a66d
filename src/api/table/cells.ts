/** Cells that many kinds' columns have in common. */
import { humanDuration } from '../../machinery/human-duration.ts';

type StringMap = Readonly<Record<string, string>>;

/** Time since a timestamp, `<unknown>` when there is none. */
export const ageCell = (timestamp: string | undefined, now: Date): string =>
  timestamp === undefined ? '<unknown>' : humanDuration(now.getTime() - Date.parse(timestamp));

/** `k=v` pairs sorted by key, `<none>` when there are none. */
export function labelsCell(labels: StringMap | undefined): string {
  const keys = Object.keys(labels ?? {}).sort();
  return keys.length === 0 ? '<none>' : keys.map((key) => `${key}=${labels![key]!}`).join(',');
}

export const boolCell = (value: boolean | undefined): string =>
  value === undefined ? '<unset>' : value ? 'True' : 'False';

/** The text itself, `<none>` when it is empty. */
export const textCell = (value: string | undefined): string => (value === undefined || value === '' ? '<none>' : value);

interface NamedImage {
  readonly name?: string;
  readonly image?: string;
}

/** Names and images of the containers of a pod template, as the two columns show them. */
export const containerCells = (containers: readonly NamedImage[] | undefined): [names: string, images: string] => [
  (containers ?? []).map(({ name = '' }) => name).join(','),
  (containers ?? []).map(({ image = '' }) => image).join(','),
];
