import type { VersionSource } from '../../machinery/managed-fields/index.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import type { ServedResource } from './served.ts';

/** The versions in which the fields of an object can be owned; nothing for a resource that has only one. */
export function managedFieldsVersions({ form, forms }: Pick<ServedResource, 'form' | 'forms'>): {
  readonly versions?: VersionSource;
} {
  if (form.custom !== undefined) return form.custom.versions === undefined ? {} : { versions: form.custom.versions };
  if (forms.size < 2) return {};
  return {
    versions: {
      typeOf: (apiVersion) => forms.get(apiVersion)?.typeId,
      convert(object, from, to) {
        const source = forms.get(from)!;
        const { value } = source.codec.normalize(object);
        return asJson(forms.get(to)!.fromStored(source.toStored(value as KubeObject, () => ({}))));
      },
    },
  };
}
