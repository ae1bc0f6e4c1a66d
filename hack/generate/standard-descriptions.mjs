// Descriptions of what means the same everywhere; a comment in the .proto file goes before them.
const OF_KINDS = {
  items: 'The objects of the list.',
  spec: 'The desired state, as set by users.',
  status: 'The state last observed, written by the system.',
};

const METADATA = {
  'meta/v1.ObjectMeta': 'Name, namespace, labels, annotations and the other metadata that every object has.',
  'meta/v1.ListMeta': 'Metadata of the list: its resourceVersion and, of a page, where the next one starts.',
};

const OF_CONDITIONS = {
  type: 'Aspect that the condition is about, in CamelCase.',
  status: 'Whether it holds: True, False or Unknown.',
  reason: 'Why, in one CamelCase word for programs.',
  message: 'Why, for people.',
  observedGeneration: 'Generation of the object that the condition was found for.',
  lastTransitionTime: 'When the status last changed.',
  lastUpdateTime: 'When the condition was last written.',
  lastProbeTime: 'When the condition was last looked at.',
  lastHeartbeatTime: 'When the condition was last reported.',
};

/** @param type name of the type around the field @param isKind whether that is a kind */
export function standardFieldDescription(type, isKind, { json, type: fieldType }) {
  if (type.endsWith('Condition')) return OF_CONDITIONS[json];
  if (!isKind) return undefined;
  return json === 'metadata' ? METADATA[fieldType] : OF_KINDS[json];
}

export function standardTypeDescription(type, isKind) {
  return isKind && type.endsWith('List') ? `A list of ${type.slice(0, -'List'.length)} objects.` : undefined;
}
