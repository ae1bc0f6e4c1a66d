/** Who controls an object: the one owner that is marked so. */
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';

export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata?.ownerReferences?.find(({ controller }) => controller === true);

export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean =>
  controllerOf(object)?.uid === owner.metadata?.uid;

/** The reference that makes `owner` the controller of the object that has it. */
export const controllerReference = (owner: KubeObject): OwnerReference => ({
  apiVersion: owner.apiVersion!,
  kind: owner.kind!,
  name: owner.metadata!.name!,
  uid: owner.metadata!.uid!,
  controller: true,
  blockOwnerDeletion: true,
});

/** The index of objects by the uid of their controller, and of those without one by their namespace. */
export const controllerIndex = 'controller';

export function controllerKeys(object: KubeObject): string[] {
  const controller = controllerOf(object);
  return [controller === undefined ? orphansOf(object.metadata?.namespace ?? '') : controller.uid!];
}

/** The value in the index for objects of a namespace that no one controls. */
export const orphansOf = (namespace: string): string => `/${namespace}`;
