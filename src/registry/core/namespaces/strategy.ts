import {
  validateNamespace,
  validateNamespaceFinalizeUpdate,
  validateNamespaceStatusUpdate,
  validateNamespaceUpdate,
} from '../../../api/core/namespaces/validation.ts';
import { kubernetesFinalizer } from '../../../api/meta/finalizers.ts';
import type { Namespace } from '../../../api/gen/types/core-v1.ts';
import { createMap } from '../../../machinery/value.ts';
import { timestamp } from '../../generic/timestamp.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

const nameLabel = 'kubernetes.io/metadata.name';

/**
 * The label by which selectors can name a namespace (KEP-2161). Objects without a name yet get it when they have one.
 */
export function setNameLabel(namespace: Namespace): void {
  const name = namespace.metadata?.name ?? '';
  if (name === '') return;
  namespace.metadata!.labels ??= createMap<string>();
  namespace.metadata!.labels[nameLabel] = name;
}

export const namespaceStrategy: ResourceStrategy<Namespace> = {
  prepareForCreate: (object) => {
    object.status = { phase: 'Active' };
    const finalizers = object.spec?.finalizers ?? [];
    object.spec = {
      ...object.spec,
      finalizers: finalizers.includes(kubernetesFinalizer) ? finalizers : [...finalizers, kubernetesFinalizer],
    };
  },
  validate: validateNamespace,
  canonicalize: setNameLabel,
  prepareForUpdate: (object, old) => {
    object.spec = {
      ...object.spec,
      ...(old.spec?.finalizers === undefined ? { finalizers: [] } : { finalizers: old.spec.finalizers }),
    };
    object.status = old.status;
  },
  validateUpdate: (object, old) => FieldErrors.joined(validateNamespace(object), validateNamespaceUpdate(object, old)),
  resetFields: [['status']],
  // The contents of a namespace are deleted first; the controller that deletes them then removes the finalizer.
  beginDeletion: (object, { now }) => {
    if ((object.spec?.finalizers?.length ?? 0) === 0) return undefined;
    if (object.metadata?.deletionTimestamp !== undefined) return 'pending';
    object.metadata = { ...object.metadata, deletionTimestamp: timestamp(now) };
    object.status = { ...object.status, phase: 'Terminating' };
    return 'mark';
  },
  mayBeRemoved: (object) => (object.spec?.finalizers?.length ?? 0) === 0,
};

export const namespaceStatusStrategy: Strategy<Namespace> = {
  prepareForUpdate: (object, old) => {
    object.spec = old.spec;
  },
  validateUpdate: validateNamespaceStatusUpdate,
  canonicalize: setNameLabel,
  resetFields: [['spec']],
};

export const finalizeStrategy: Strategy<Namespace> = {
  prepareForUpdate: (object, old) => {
    object.status = old.status;
  },
  validateUpdate: validateNamespaceFinalizeUpdate,
  canonicalize: setNameLabel,
  resetFields: [['status']],
};
