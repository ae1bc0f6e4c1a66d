/**
 * The types of the documents that configure admission plugins, as schemas for the JSON decoder. They are documents of
 * files alone and have no protobuf messages, so they are not in `proto/`.
 *
 * @see {@link https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/ | kube-apiserver configuration (v1)}
 * @see {@link https://kubernetes.io/docs/reference/config-api/apiserver-eventratelimit.v1alpha1/ | Event rate limit}
 */
import { schemas } from '../../../api/schemas.ts';
import { createCodecs } from '../../../machinery/codec/index.ts';
import type { Field, TypeSchema } from '../../../machinery/schema.ts';

const field = (json: string, type: string, more: Partial<Field> = {}): Field => ({
  json,
  name: json.charAt(0).toUpperCase() + json.slice(1),
  type,
  omitempty: true,
  ...more,
});
const strings = (...names: readonly string[]): readonly Field[] => names.map((name) => field(name, 'string'));
const list = (json: string, type: string): Field => field(json, type, { repeated: true });

const fieldsOf: Readonly<Record<string, readonly Field[]>> = {
  'apiserver/v1.AdmissionConfiguration': [list('plugins', 'apiserver/v1.AdmissionPluginConfiguration')],
  'apiserver/v1.AdmissionPluginConfiguration': [
    ...strings('name', 'path'),
    field('configuration', 'rawExtension', { pointer: true }),
  ],
  'webhookadmission/v1.WebhookAdmission': strings('kubeConfigFile'),
  'resourcequota/v1.Configuration': [list('limitedResources', 'resourcequota/v1.LimitedResource')],
  'resourcequota/v1.LimitedResource': [
    ...strings('apiGroup', 'resource'),
    list('matchContains', 'string'),
    list('matchScopes', 'core/v1.ScopedResourceSelectorRequirement'),
  ],
  'eventratelimit/v1alpha1.Configuration': [list('limits', 'eventratelimit/v1alpha1.Limit')],
  'eventratelimit/v1alpha1.Limit': [
    ...strings('type'),
    ...['qps', 'burst', 'cacheSize'].map((name) => field(name, 'int32')),
  ],
  'podtolerationrestriction/v1alpha1.Configuration': [
    list('default', 'core/v1.Toleration'),
    list('whitelist', 'core/v1.Toleration'),
  ],
  'api/v1.PodSecurityConfiguration': [
    field('defaults', 'api/v1.PodSecurityDefaults', { pointer: true }),
    field('exemptions', 'api/v1.PodSecurityExemptions', { pointer: true }),
  ],
  'api/v1.PodSecurityDefaults': strings('enforce', 'enforce-version', 'audit', 'audit-version', 'warn', 'warn-version'),
  'api/v1.PodSecurityExemptions': ['usernames', 'namespaces', 'runtimeClasses'].map((name) => list(name, 'string')),
  // These two may lie in one file.
  'imagepolicy.AdmissionConfig': [
    field('imagePolicy', 'imagepolicy.imagePolicyWebhookConfig', { pointer: true }),
    field('podNodeSelectorPluginConfig', 'any'),
  ],
  'imagepolicy.imagePolicyWebhookConfig': [
    ...strings('kubeConfigFile'),
    ...['allowTTL', 'denyTTL', 'retryBackoff'].map((name) => field(name, 'int64')),
    field('defaultAllow', 'bool'),
  ],
  'podnodeselector.pluginConfig': [
    field('podNodeSelectorPluginConfig', 'string', { mapKey: 'string' }),
    field('imagePolicy', 'any'),
  ],
};

/** Those that begin with apiVersion and kind. */
const kinds: ReadonlySet<string> = new Set([
  'apiserver/v1.AdmissionConfiguration',
  'webhookadmission/v1.WebhookAdmission',
  'resourcequota/v1.Configuration',
  'eventratelimit/v1alpha1.Configuration',
  'podtolerationrestriction/v1alpha1.Configuration',
  'api/v1.PodSecurityConfiguration',
]);

function type(id: string): TypeSchema {
  if (!Object.hasOwn(fieldsOf, id)) return schemas.type(id);
  return { id, fields: fieldsOf[id]!, noProto: true, ...(kinds.has(id) ? { kind: true } : {}) };
}

export const documentCodecs = createCodecs({ packages: [], typesOf: () => [], type, ofKind: () => undefined });
