import type { VersionSource } from '../../machinery/managed-fields/index.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import type { ServedResource } from '../served/served-resource.ts';

/** The versions in which the fields of an object can be owned; nothing for a resource that has only one. */
export function managedFieldsVersions({
  servedVersion,
  servedVersions,
}: Pick<ServedResource, 'servedVersion' | 'servedVersions'>): {
  readonly versions?: VersionSource;
} {
  if (servedVersion.custom !== undefined)
    return servedVersion.custom.versions === undefined ? {} : { versions: servedVersion.custom.versions };
  if (servedVersions.size < 2) return {};
  return {
    versions: {
      typeOf: (apiVersion) => servedVersions.get(apiVersion)?.typeId,
      convert(object, from, to) {
        const source = servedVersions.get(from)!;
        const { value } = source.codec.normalize(object);
        return asJson(servedVersions.get(to)!.fromStored(source.toStored(value as KubeObject, () => ({}))));
      },
    },
  };
}
