/** Admission of a server: the plugins that run, and what they need of it. */
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { type Admission, createAdmissionChain } from '../../registry/admission.ts';
import { createEventLimits } from '../admission/event-rate-limit.ts';
import { createImageReviews } from '../admission/image-reviews.ts';
import { WatchedPolicies } from '../admission/policies/sources.ts';
import { createAdmissionPlugins, type PluginServices } from '../admission/plugins.ts';
import { WatchedSources } from '../admission/webhooks/sources.ts';
import type { Loopback } from './loopback.ts';
import type { Security } from './security.ts';
import { traceAdmission } from '../../registry/traced-admission.ts';
import type { SharedDependencies } from './shared-dependencies.ts';

export function createAdmission(
  { config, metrics, groupVersions, featureEnabled, now }: SharedDependencies,
  { stores, objects, decode, fieldManager, webhooks, writer }: Loopback,
  { authorization }: Security,
  cleanup: CleanupStack,
): { readonly admission: Admission; readonly pluginServices: PluginServices } {
  const settings = config.admission;
  const { eventRateLimit = [], imagePolicy } = settings.configuration;
  const pluginServices: PluginServices = {
    takeEvent: createEventLimits(eventRateLimit),
    createNamespace: (name) => writer.create({ group: '', resource: 'namespaces', namespace: '', name }, {}),
  };
  const imageReviews = createImageReviews(webhooks, imagePolicy, config.files);
  cleanup.add(() => imageReviews.close());
  const sources = new WatchedSources({ registry: stores, log: config.log });
  const policies = new WatchedPolicies({ registry: stores, decode, log: config.log });
  cleanup.add(() => Promise.all([sources.stop(), policies.stop()]));
  const plugins = createAdmissionPlugins({
    settings,
    registry: stores,
    groupVersions,
    objects,
    authorizer: authorization.authorizer,
    fieldManager,
    now,
    featureEnabled,
    services: pluginServices,
    imageReviews,
    policies: { sources: policies, kinds: stores, observe: metrics.admissionPolicies },
    webhooks: { clients: webhooks, createSource: sources.create, observe: metrics.admissionWebhooks },
    fileReports: config.files,
    observePodSecurity: metrics.podSecurity,
    log: config.log,
  });
  const chain = createAdmissionChain(plugins, metrics.admission);
  return { admission: config.tracing === undefined ? chain : traceAdmission(chain), pluginServices };
}
