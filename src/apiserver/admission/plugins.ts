/**
 * The built-in admission plugins in the order of `plugin-names.ts`: all of them mutate in this order, then all of them
 * validate in it.
 */
import type { FieldManager } from '../../machinery/managed-fields/field-manager.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { Authorizer } from '../../auth/authorization/authorizer.ts';
import {
  certificateSubjectRestriction,
  createCertificateApproval,
  createCertificateSigning,
  createClusterTrustBundleAttest,
} from './certificate-signers.ts';
import type { PluginConfiguration } from './configuration/plugin-configuration.ts';
import { createDefaultIngressClass, createDefaultStorageClass } from './default-classes.ts';
import { createDefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { createLimitRanger } from './limit-ranger.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { createNodeRestriction } from './node-restriction.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import { createPersistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { pluginNames } from './plugin-names.ts';
import { createPodSecurity } from './pod-security.ts';
import { createPriority } from './priority.ts';
import { createResourceQuota } from './resource-quota.ts';
import { createRuntimeClass } from './runtime-class.ts';
import { createServiceAccount } from './service-account.ts';
import { createStorageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

export interface AdmissionSettings {
  /** Run besides those that are on by default, and not run although they are; no name stands in both. */
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  /** How long a pod stays on a node that is not ready, or that cannot be reached. */
  readonly notReadyTolerationSeconds: number;
  readonly unreachableTolerationSeconds: number;
  /** Of `--admission-control-config-file`. */
  readonly configuration: PluginConfiguration;
}

export interface AdmissionPluginOptions {
  readonly settings: AdmissionSettings;
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly objects: CachedObjects;
  readonly authorizer: Authorizer;
  readonly fieldManager: FieldManager;
  readonly now: () => Date;
  readonly featureEnabled: (gate: string) => boolean;
}

/** Those that run, in execution order. */
export function createAdmissionPlugins(options: AdmissionPluginOptions): AdmissionPlugin[] {
  const { enable, disable } = options.settings;
  const running = new Set(
    pluginNames
      .filter((plugin) => (plugin.default || enable.includes(plugin.name)) && !disable.includes(plugin.name))
      .map(({ name }) => name),
  );
  return everyPlugin(options).filter(({ name }) => running.has(name));
}

function everyPlugin({
  settings,
  registry,
  objects,
  authorizer,
  fieldManager,
  now,
  featureEnabled,
}: AdmissionPluginOptions): AdmissionPlugin[] {
  return [
    createNamespaceLifecycle({ objects, now }),
    createLimitRanger({ objects, featureEnabled }),
    createServiceAccount({ objects }),
    createNodeRestriction({ objects }),
    taintNodesByCondition,
    createPodSecurity({ objects }),
    createPriority({ objects }),
    createDefaultTolerationSeconds({
      notReadySeconds: settings.notReadyTolerationSeconds,
      unreachableSeconds: settings.unreachableTolerationSeconds,
    }),
    createDefaultStorageClass({ objects }),
    createStorageObjectInUseProtection({ featureEnabled }),
    createPersistentVolumeClaimResize({ objects }),
    createRuntimeClass({ objects }),
    createCertificateApproval({ authorizer }),
    createCertificateSigning({ authorizer }),
    createClusterTrustBundleAttest({ authorizer }),
    certificateSubjectRestriction,
    createDefaultIngressClass({ objects }),
    createResourceQuota({ objects, registry, fieldManager, now, featureEnabled }),
  ];
}
