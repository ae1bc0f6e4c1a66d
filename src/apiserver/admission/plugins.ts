/**
 * The built-in admission plugins in execution order, which flags do not change: all of them mutate in this order, then
 * all of them validate in it.
 *
 * @NOTE differs from upstream: ServiceAccount is left out until a controller makes the `default` service account of
 * each namespace; no pod could be created before that. The plugins that ask the authorizer about signers
 * (CertificateApproval, CertificateSigning, ClusterTrustBundleAttest) and CertificateSubjectRestriction are left out as
 * well: there is only a mode that allows everything.
 */
import type { FieldManager } from '../../machinery/managed-fields/field-manager.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import { createDefaultIngressClass, createDefaultStorageClass } from './default-classes.ts';
import { createDefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { createLimitRanger } from './limit-ranger.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { createAdmissionObjects } from './objects.ts';
import { createPersistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { createPodSecurity } from './pod-security.ts';
import { createPriority } from './priority.ts';
import { createResourceQuota } from './resource-quota.ts';
import { createRuntimeClass } from './runtime-class.ts';
import { createStorageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

export interface AdmissionPluginOptions {
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly fieldManager: FieldManager;
  readonly now: () => Date;
  readonly featureEnabled: (gate: string) => boolean;
}

/** Seconds that a pod stays on a node in trouble: the defaults of both flags. */
const tolerationSeconds = 300;

export function createAdmissionPlugins({ registry, fieldManager, now, featureEnabled }: AdmissionPluginOptions): AdmissionPlugin[] {
  const objects = createAdmissionObjects(registry);
  return [
    createNamespaceLifecycle({ objects, now }),
    createLimitRanger({ objects }),
    taintNodesByCondition,
    createPodSecurity({ objects }),
    createPriority({ objects }),
    createDefaultTolerationSeconds({ notReadySeconds: tolerationSeconds, unreachableSeconds: tolerationSeconds }),
    createDefaultStorageClass({ objects }),
    createStorageObjectInUseProtection({ featureEnabled }),
    createPersistentVolumeClaimResize({ objects }),
    createRuntimeClass({ objects }),
    createDefaultIngressClass({ objects }),
    createResourceQuota({ objects, registry, fieldManager, now }),
  ];
}
