import { type MediaType, protobuf } from '../request/negotiation.ts';

const metaGroup = 'meta.k8s.io';
const partialKinds = new Set(['PartialObjectMetadata', 'PartialObjectMetadataList']);

/** The other representations that every resource has. A Table has no protobuf encoding. */
export function isConvertible(as: string, group: string, version: string, mediaType: MediaType): boolean {
  if (group !== metaGroup || (version !== 'v1' && version !== 'v1beta1')) return false;
  return as === 'Table' ? mediaType !== protobuf : partialKinds.has(as);
}
