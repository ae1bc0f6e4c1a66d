/** What a client asks for in Accept. */
import { json, protobuf } from './object-codec.ts';

/** What is asked for instead of the objects. */
export type Projection = 'PartialObjectMetadata' | 'Table';

export interface MediaTypes {
  readonly object: string;
  readonly list: string;
  readonly watch: string;
}

/** Made once: each use of a resource asks for them. */
const known = new Map<string, MediaTypes>();

/** @param usesProtobuf JSON is asked for as well, for servers and types that have no other */
export function mediaTypes(usesProtobuf: boolean, projection?: Projection): MediaTypes {
  const key = `${usesProtobuf} ${projection}`;
  const types = known.get(key) ?? typesOf(usesProtobuf, projection);
  known.set(key, types);
  return types;
}

function typesOf(usesProtobuf: boolean, projection: Projection | undefined): MediaTypes {
  if (projection === 'Table') {
    const table = `${json};as=Table;g=meta.k8s.io;v=v1`;
    return { object: table, list: table, watch: table };
  }
  const types = usesProtobuf ? [protobuf, json] : [json];
  const as = (kind: string): string => types.map((type) => `${type};as=${kind};g=meta.k8s.io;v=v1`).join(',');
  if (projection !== undefined) return { object: as(projection), list: as(`${projection}List`), watch: as(projection) };
  const plain = types.join(',');
  return { object: plain, list: plain, watch: usesProtobuf ? `${protobuf};stream=watch,${json}` : json };
}
