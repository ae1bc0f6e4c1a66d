/**
 * Owner references decide what is deleted: to change those of an object takes the right to delete the object, and to
 * hold an owner back until the object is gone takes the right to set the owner's finalizers.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#ownerreferencespermissionenforcement
 *   | OwnerReferencesPermissionEnforcement}
 */
import type { AuthorizationAttributes, Authorizer } from '../../auth/authorization/authorizer.ts';
import { isEqual } from '../../machinery/equal.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { refused } from './attributes.ts';
import type { KindLookup } from './kind-lookup.ts';

export interface OwnerReferencesPermissionOptions {
  readonly authorizer: Authorizer;
  readonly resourcesOf: KindLookup;
}

export function createOwnerReferencesPermission(options: OwnerReferencesPermissionOptions): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate(attributes) {
      const { resource, subresource, object, oldObject } = attributes;
      // The status of a pod cannot change its owners, and old kubelets send others.
      if (resource.group === '' && resource.resource === 'pods' && subresource === 'status') return undefined;
      return isEqual(ownersOf(object), ownersOf(oldObject)) ? undefined : check(attributes, options);
    },
  };
}

const ownersOf = (object: KubeObject | undefined): readonly OwnerReference[] => object?.metadata?.ownerReferences ?? [];

async function check(
  attributes: AdmissionAttributes,
  { authorizer, resourcesOf }: OwnerReferencesPermissionOptions,
): Promise<void> {
  const { user, namespace, resource, subresource, name, operation } = attributes;
  const request = { user, isResourceRequest: true, namespace, path: '' };
  const demand = async (wanted: AuthorizationAttributes, what: string): Promise<void> => {
    const { decision, reason, error = '<nil>' } = await authorizer.authorize(wanted);
    if (decision !== 'allow') throw refused(attributes, `${what}: ${reason}, ${error}`);
  };
  // What is only being created has nothing that a deletion could take.
  if (operation !== 'CREATE') {
    const deletion = { ...request, ...resource, verb: 'delete', subresource, name };
    await demand(deletion, "cannot set an ownerRef on a resource you can't delete");
  }
  for (const owner of newlyBlocking(attributes)) {
    for (const found of await resourcesOfOwner(attributes, owner, resourcesOf)) {
      const update = {
        ...request,
        ...found,
        namespace: found.namespaced ? namespace : '',
        verb: 'update',
        subresource: 'finalizers',
        name: owner.name ?? '',
      };
      await demand(
        update,
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on",
      );
    }
  }
}

const isBlocking = ({ blockOwnerDeletion }: OwnerReference): boolean => blockOwnerDeletion === true;

function newlyBlocking({ object, oldObject }: AdmissionAttributes): readonly OwnerReference[] {
  const before = new Set(
    ownersOf(oldObject)
      .filter(isBlocking)
      .map(({ uid }) => uid),
  );
  return ownersOf(object).filter((owner) => isBlocking(owner) && !before.has(owner.uid));
}

async function resourcesOfOwner(
  attributes: AdmissionAttributes,
  { apiVersion = '', kind = '' }: OwnerReference,
  resourcesOf: KindLookup,
): ReturnType<KindLookup> {
  const found = await resourcesOf(apiVersion, kind);
  if (found.length > 0) return found;
  throw refused(
    attributes,
    `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ` +
      `${kind}: no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`,
  );
}
