/**
 * Nothing is created in a namespace that is absent or on its way out, and the namespaces that everything relies on
 * stay.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespacelifecycle |
 *   NamespaceLifecycle}
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import type { Namespace } from '../../api/gen/types/core-v1.ts';
import { forbidden, notFound, StatusError } from '../../machinery/status.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { refused } from './attributes.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';

const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
const namespaces = { group: '', resource: 'namespaces' };
/** How long a namespace that was deleted here is not believed to be there because the cache says so. */
const distrustMs = 30_000;

/** There is no namespace of a longer name. */
const maxNameLength = 63;

export interface NamespaceLifecycleOptions {
  readonly objects: CachedObjects;
  readonly now: () => Date;
}

export function createNamespaceLifecycle({ objects, now }: NamespaceLifecycleOptions): AdmissionPlugin {
  const deleted = new BoundedCache<number>({ maxBytes: 2 * 1024 * 1024, maxKeyLength: maxNameLength });
  const isDistrusted = (name: string): boolean => {
    const since = deleted.get(name);
    if (since === undefined) return false;
    if (now().getTime() - since < distrustMs) return true;
    deleted.delete(name);
    return false;
  };
  const check = async (attributes: AdmissionAttributes): Promise<void> => {
    const { namespace: name } = attributes;
    const known = isDistrusted(name) ? undefined : await objects.find<Namespace>('', 'namespaces', '', name);
    if (known !== undefined && (attributes.operation === 'UPDATE' || !isTerminating(known))) return;
    const current = await objects.findFresh<Namespace>('', 'namespaces', '', name);
    if (current === undefined) throw notFound(namespaces, name);
    if (attributes.operation === 'CREATE' && isTerminating(current)) throw terminating(attributes);
  };
  return {
    name: 'NamespaceLifecycle',
    handles: (operation) => operation !== 'CONNECT',
    admit(attributes) {
      const { operation, kind, namespace } = attributes;
      if (kind.kind === 'Namespace' && kind.group === '') {
        if (operation !== 'DELETE') return undefined;
        if (immortal.has(attributes.name))
          throw forbidden(namespaces, attributes.name, 'this namespace may not be deleted');
        deleted.set(attributes.name, now().getTime());
        return undefined;
      }
      // Objects left in a namespace must be deletable, and access reviews may ask about any namespace.
      if (namespace === '' || operation === 'DELETE' || isAccessReview(attributes)) return undefined;
      return check(attributes);
    },
  };
}

const isTerminating = ({ status }: Namespace): boolean => status?.phase === 'Terminating';

const isAccessReview = ({ resource }: AdmissionAttributes): boolean =>
  resource.group === 'authorization.k8s.io' && resource.resource === 'localsubjectaccessreviews';

function terminating(attributes: AdmissionAttributes): StatusError {
  const { namespace } = attributes;
  const { code, reason, message, details } = refused(
    attributes,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError(code, reason, message, { ...details, causes: [cause] });
}
