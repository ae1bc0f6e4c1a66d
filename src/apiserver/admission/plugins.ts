/**
 * The built-in admission plugins in the order of `plugin-names.ts`: all of them mutate in this order, then all of them
 * validate in it.
 */
import type { FileReports } from '../../base/file-reports.ts';
import type { Logger } from '../../base/logger.ts';
import type { Kubeconfig } from '../../client/kubeconfig/merge.ts';
import type { FieldManager } from '../../machinery/managed-fields/field-manager.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import type { GroupVersionInfo } from '../../api/resources.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { Authorizer } from '../../auth/authorization/authorizer.ts';
import { alwaysAdmit, alwaysDeny } from './always-plugins.ts';
import { alwaysPullImages } from './always-pull-images.ts';
import {
  certificateSubjectRestriction,
  createCertificateApproval,
  createCertificateSigning,
  createClusterTrustBundleAttest,
} from './certificate-signers.ts';
import type { PluginConfiguration } from './configuration/plugin-configuration.ts';
import { createDefaultIngressClass, createDefaultStorageClass } from './default-classes.ts';
import { createDefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { denyServiceExternalIps } from './deny-service-external-ips.ts';
import { createEventRateLimit, type TakeEvent } from './event-rate-limit.ts';
import { extendedResourceToleration } from './extended-resource-toleration.ts';
import type { ImageReviews } from './image-reviews.ts';
import { createImagePolicyWebhook } from './image-policy-webhook.ts';
import { createKindLookup } from './kind-lookup.ts';
import { limitPodHardAntiAffinityTopology } from './limit-anti-affinity-topology.ts';
import { createLimitRanger } from './limit-ranger.ts';
import { type CreateNamespace, createNamespaceAutoProvision, createNamespaceExists } from './namespace-exists.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { createNodeRestriction } from './node-restriction.ts';
import { createOwnerReferencesPermission } from './owner-references-permission.ts';
import { createPodNodeSelector } from './pod-node-selector.ts';
import { createPodTolerationRestriction } from './pod-toleration-restriction.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import { createPersistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { runningPlugins } from './plugin-names.ts';
import { createPodSecurity } from './pod-security.ts';
import type { ObservePodSecurity } from './pod-security/observations.ts';
import { createPriority } from './priority.ts';
import { createResourceQuota } from './resource-quota.ts';
import { createRuntimeClass } from './runtime-class.ts';
import { createServiceAccount } from './service-account.ts';
import { createStorageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';
import { createMutatingPolicies } from './policies/mutating/plugin.ts';
import type { ObservePolicy } from './policies/observations.ts';
import { type KindDirectory, ParamReader } from './policies/params.ts';
import type { PolicySources } from './policies/sources.ts';
import { createValidatingPolicies, type PolicyPluginOptions } from './policies/validating/plugin.ts';
import { credentialsFrom } from './webhooks/credentials.ts';
import { createMutatingWebhooks } from './webhooks/mutating.ts';
import type { ObserveWebhook } from './webhooks/observations.ts';
import type { CreateWebhookSource } from './webhooks/sources.ts';
import { createValidatingWebhooks, type WebhookPluginOptions } from './webhooks/validating.ts';
import type { WebhookClients } from '../webhooks/webhook-clients.ts';

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

/** What is there once per server: plugins in the thread for large requests ask for it by messages. */
export interface PluginServices {
  readonly createNamespace: CreateNamespace;
  readonly takeEvent: TakeEvent;
}

export interface AdmissionPluginOptions {
  readonly settings: AdmissionSettings;
  readonly registry: Pick<RegistryCatalog, 'storeOf' | 'stores'>;
  readonly groupVersions: readonly GroupVersionInfo[];
  readonly objects: CachedObjects;
  readonly authorizer: Authorizer;
  readonly fieldManager: FieldManager;
  readonly now: () => Date;
  readonly featureEnabled: (gate: string) => boolean;
  readonly services: PluginServices;
  /** Asked about images, where the configuration has a backend. */
  readonly imageReviews: Pick<ImageReviews, 'post'>;
  readonly webhooks: WebhookAdmission;
  readonly policies: PolicyAdmission;
  /** Told of the credentials for webhooks, which are read again when they change. */
  readonly fileReports?: FileReports | undefined;
  readonly observePodSecurity: ObservePodSecurity;
  readonly log: Logger;
}

export interface WebhookAdmission {
  readonly clients: Pick<WebhookClients, 'hold'>;
  readonly createSource: CreateWebhookSource;
  readonly observe: ObserveWebhook;
}

export interface PolicyAdmission {
  readonly sources: PolicySources;
  readonly kinds: KindDirectory;
  readonly observe: ObservePolicy;
}

/** Those that run, in execution order. */
export function createAdmissionPlugins(options: AdmissionPluginOptions): AdmissionPlugin[] {
  const running = runningPlugins(options.settings);
  return everyPlugin(options).filter(({ name }) => running.has(name));
}

function everyPlugin(options: AdmissionPluginOptions): AdmissionPlugin[] {
  const { settings, registry, groupVersions, objects, authorizer, fieldManager, now, featureEnabled } = options;
  const { configuration } = settings;
  const { services } = options;
  const webhooksOf = (resource: string, kubeconfig: Kubeconfig | undefined): WebhookPluginOptions => ({
    source: options.webhooks.createSource(resource, {
      clients: options.webhooks.clients,
      objects,
      authorizer,
      credentials: kubeconfig === undefined ? undefined : credentialsFrom(resource, kubeconfig, options.fileReports),
    }),
    observe: options.webhooks.observe,
    log: options.log,
  });
  const { sources, kinds, observe } = options.policies;
  const policyOptions: PolicyPluginOptions = {
    sources,
    params: new ParamReader(kinds),
    objects,
    authorizer,
    observe,
  };
  return [
    alwaysAdmit,
    createNamespaceAutoProvision({ objects, createNamespace: services.createNamespace }),
    createNamespaceLifecycle({ objects, now }),
    createNamespaceExists({ objects }),
    limitPodHardAntiAffinityTopology,
    createLimitRanger({ objects, featureEnabled }),
    createServiceAccount({ objects }),
    createNodeRestriction({ objects }),
    taintNodesByCondition,
    alwaysPullImages,
    ...(configuration.imagePolicy === undefined
      ? []
      : [createImagePolicyWebhook({ configuration: configuration.imagePolicy, backend: options.imageReviews })]),
    createPodSecurity({ objects, configuration: configuration.podSecurity, observe: options.observePodSecurity }),
    createPodNodeSelector({ objects, configuration: configuration.podNodeSelector }),
    createPriority({ objects }),
    createDefaultTolerationSeconds({
      notReadySeconds: settings.notReadyTolerationSeconds,
      unreachableSeconds: settings.unreachableTolerationSeconds,
    }),
    createPodTolerationRestriction({
      objects,
      configuration: configuration.podTolerationRestriction,
      featureEnabled,
    }),
    createEventRateLimit({ take: services.takeEvent }),
    extendedResourceToleration,
    createDefaultStorageClass({ objects }),
    createStorageObjectInUseProtection({ featureEnabled }),
    createOwnerReferencesPermission({
      authorizer,
      resourcesOf: createKindLookup({ groupVersions, stores: registry, objects }),
    }),
    createPersistentVolumeClaimResize({ objects }),
    createRuntimeClass({ objects }),
    createCertificateApproval({ authorizer }),
    createCertificateSigning({ authorizer }),
    createClusterTrustBundleAttest({ authorizer }),
    certificateSubjectRestriction,
    createDefaultIngressClass({ objects }),
    denyServiceExternalIps,
    createMutatingPolicies({ ...policyOptions, enabled: featureEnabled('MutatingAdmissionPolicy') }),
    createMutatingWebhooks(webhooksOf('mutatingwebhookconfigurations', configuration.mutatingWebhookKubeconfig)),
    createValidatingPolicies(policyOptions),
    createValidatingWebhooks(webhooksOf('validatingwebhookconfigurations', configuration.validatingWebhookKubeconfig)),
    createResourceQuota({
      objects,
      registry,
      fieldManager,
      now,
      featureEnabled,
      limitedResources: configuration.resourceQuota,
    }),
    alwaysDeny,
  ];
}
