/**
 * Index attributes that cost little. Tens of thousands of objects say the same few things: namespaces, label keys and
 * values, often whole sets of labels. Each of these is kept once; a name is the end of the key it is in.
 */
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { mapOfPairs, RecordMap } from '../machinery/small-map.ts';
import type { ObjectAttributes } from './objects.ts';

/** Makes a attributes that shares what it has in common with those before it. One maker per resource. */
export function createAttributesInterning(): (key: string, attributes: ObjectAttributes) => ObjectAttributes {
  const strings = new BoundedCache<string>({ maxBytes: maxBytes / 2, maxKeyLength: 512 });
  const labelMaps = new BoundedCache<ReadonlyMap<string, string>>({
    maxBytes: maxBytes / 2,
    maxKeyLength: 8192,
    bytesOf: (_, pairs) => textBytes(pairs),
  });
  const intern = (text: string): string => strings.getOrMake(text, (own) => own);

  const sharedLabels = (labels: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
    if (labels.size === 0) return labels;
    const pairs = [...labels].flat();
    return labelMaps.getOrMake(pairs.join('\0'), () => mapOfPairs(pairs.map(intern)));
  };

  return (key, { namespace, name, labels, fields }) => ({
    namespace: intern(namespace),
    name: key.endsWith(name) ? key.slice(key.length - name.length) : name,
    labels: sharedLabels(labels),
    fields: fields instanceof RecordMap ? fields.map(intern) : fields,
  });
}

/** Of what is shared. What was handed out stays when it is forgotten here: sharing begins anew. */
const maxBytes = 4 * 1024 * 1024;
