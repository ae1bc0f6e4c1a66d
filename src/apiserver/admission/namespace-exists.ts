/**
 * Two ways with namespaces that are absent: to refuse what is to be written in them, and to create them.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespaceexists |
 *   NamespaceExists}
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespaceautoprovision |
 *   NamespaceAutoProvision}
 */
import type { Namespace } from '../../api/gen/types/core-v1.ts';
import { isStatusError, notFound } from '../../machinery/status.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import { refused } from './attributes.ts';

/** Creates a namespace of this name, unless it is there. */
export type CreateNamespace = (name: string) => Promise<void>;

const isInNamespace = ({ namespace, kind }: AdmissionAttributes): boolean =>
  namespace !== '' && !(kind.group === '' && kind.kind === 'Namespace');

const find = async (objects: CachedObjects, name: string): Promise<Namespace | undefined> =>
  (await objects.find<Namespace>('', 'namespaces', '', name)) ??
  (await objects.findFresh<Namespace>('', 'namespaces', '', name));

export const createNamespaceExists = ({ objects }: { readonly objects: CachedObjects }): AdmissionPlugin => ({
  name: 'NamespaceExists',
  handles: (operation) => operation !== 'CONNECT',
  async validate(attributes) {
    if (!isInNamespace(attributes)) return;
    const { namespace } = attributes;
    if ((await find(objects, namespace)) === undefined)
      throw notFound({ group: '', resource: 'namespaces' }, namespace);
  },
});

export interface NamespaceAutoProvisionOptions {
  readonly objects: CachedObjects;
  readonly createNamespace: CreateNamespace;
}

export const createNamespaceAutoProvision = ({
  objects,
  createNamespace,
}: NamespaceAutoProvisionOptions): AdmissionPlugin => ({
  name: 'NamespaceAutoProvision',
  handles: (operation) => operation === 'CREATE',
  async admit(attributes) {
    if (attributes.dryRun || !isInNamespace(attributes)) return;
    const { namespace } = attributes;
    if ((await objects.find<Namespace>('', 'namespaces', '', namespace)) !== undefined) return;
    try {
      await createNamespace(namespace);
    } catch (error) {
      if (!isStatusError(error)) throw error;
      throw refused(attributes, error.message);
    }
  },
});
