/**
 * Index cards that cost little. Tens of thousands of objects say the same few things: namespaces, label keys and values,
 * often whole sets of labels. Each of these is kept once; a name is the end of the key it is in.
 */
import { mapOfPairs, RecordMap } from '../machinery/small-map.ts';
import type { IndexCard } from './objects.ts';

/** Makes a card that shares what it has in common with those before it. One maker per resource. */
export function createCardSharing(): (key: string, card: IndexCard) => IndexCard {
  const strings = new Interned<string>();
  const labelMaps = new Interned<ReadonlyMap<string, string>>();
  const intern = (text: string): string => strings.get(text, () => text);

  const sharedLabels = (labels: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
    if (labels.size === 0) return labels;
    const pairs = [...labels].flat();
    return labelMaps.get(pairs.join('\0'), () => mapOfPairs(pairs.map(intern)));
  };

  return (key, { namespace, name, labels, fields }) => ({
    namespace: intern(namespace),
    name: key.endsWith(name) ? key.slice(key.length - name.length) : name,
    labels: sharedLabels(labels),
    fields: fields instanceof RecordMap ? fields.map(intern) : fields,
  });
}

/**
 * The same value for the same text. Forgets everything when it has grown large: what was handed out stays, sharing
 * begins anew.
 */
class Interned<T> {
  readonly #values = new Map<string, T>();

  get(text: string, make: () => T): T {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    if (this.#values.size >= maxInterned) this.#values.clear();
    const made = make();
    this.#values.set(text, made);
    return made;
  }
}

const maxInterned = 4096;
