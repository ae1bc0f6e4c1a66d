/** How the findings of the checks read. */
import { goQuote } from '../../../machinery/go-quote.ts';

export const one = (count: number, singular: string, plural: string): string => (count === 1 ? singular : plural);

/** `container "a"`, `containers "a", "b"` */
export const named = (what: string, names: readonly string[]): string =>
  `${one(names.length, what, `${what}s`)} ${names.map(goQuote).join(', ')}`;

export const namedContainers = (names: readonly string[]): string => named('container', names);

/** Where a value is set: the pod, containers, or both. */
export const setters = (pod: boolean, containers: readonly string[]): string =>
  [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [namedContainers(containers)] : [])].join(' and ');

/** Sorted, each once, each in quotes. */
export const quoted = (values: Iterable<string>): string => [...new Set(values)].sort().map(goQuote).join(', ');
