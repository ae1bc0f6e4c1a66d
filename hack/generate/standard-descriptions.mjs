// Descriptions of fields that mean the same in every kind; a comment in the .proto file goes before them.
const BY_NAME = {
  items: 'The objects of the list.',
  spec: 'The desired state, as set by users.',
  status: 'The state last observed, written by the system.',
};

const METADATA = {
  'meta/v1.ObjectMeta': 'Name, namespace, labels, annotations and the other metadata that every object has.',
  'meta/v1.ListMeta': 'Metadata of the list: its resourceVersion and, of a page, where the next one starts.',
};

export function standardDescription(json, type) {
  return json === 'metadata' ? METADATA[type] : BY_NAME[json];
}
