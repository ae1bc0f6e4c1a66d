import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import type { JsonObject } from '../../machinery/value.ts';
import { setManagedFields } from './managed-fields.ts';
import { managedFieldsVersions } from './managed-fields-versions.ts';
import { isScale, managedFieldsOfScaled, withManagedFields } from './managed-scale.ts';
import type { PatchEnvironment } from './patch-environment.ts';

/**
 * Server-side apply: the object merged with the configuration, and its managed fields.
 * @see {@link https://kubernetes.io/docs/reference/using-api/server-side-apply/ | Server-Side Apply}
 */
export function applyConfiguration(
  config: JsonObject,
  environment: PatchEnvironment,
): (current: KubeObject | undefined, copy: () => KubeObject) => KubeObject {
  const { context, served, parameters, manager, now, subresource, decode } = environment;
  const { servedVersion } = served;
  return (current, copy) => {
    const live =
      current === undefined ? undefined : withManagedFields(served, servedVersion.fromStored(copy()), current);
    const { object, changed } = context.fieldManager.apply({
      live,
      config,
      manager,
      force: parameters.force,
      subresource,
      kind: servedVersion.kind,
      apiVersion: servedVersion.apiVersion,
      typeId: servedVersion.custom?.mergeType ?? servedVersion.typeId,
      now,
      ...(isScale(served)
        ? { resetFields: [] }
        : { resetFields: served.store!.strategyOf(subresource).resetFields ?? [], ...managedFieldsVersions(served) }),
    });
    const wanted = changed ? decode(object) : object;
    if (metaOf(wanted).name === undefined && live !== undefined) metaOf(wanted).name = metaOf(live).name!;
    const stored = servedVersion.toStored(wanted, copy);
    if (isScale(served) && current !== undefined)
      setManagedFields(stored, managedFieldsOfScaled(served, current, metaOf(wanted).managedFields));
    return stored;
  };
}
