import { bool, duration, file, int, section, strings, text } from '../flag.ts';

export const authorization = section('Authorization', {
  modes: strings('authorization-mode', 'supported', {
    default: ['AlwaysAllow'],
    help: 'Authorization modes, asked in this order: AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node.',
  }),
  config: file('authorization-config', 'supported', {
    help:
      'AuthorizationConfiguration document with the ordered authorizers. Exclusive with the mode and ' +
      'webhook flags.',
  }),
  policyFile: file('authorization-policy-file', 'supported', { help: 'Policy of mode ABAC, a JSON object per line.' }),
  webhookConfigFile: file('authorization-webhook-config-file', 'supported', {
    help: 'Connection to the service of mode Webhook, in kubeconfig format.',
  }),
  webhookVersion: text('authorization-webhook-version', 'supported', {
    default: 'v1beta1',
    help: 'Version of the SubjectAccessReview objects exchanged with the webhook.',
  }),
  webhookCacheAuthorizedTtlMs: duration('authorization-webhook-cache-authorized-ttl', 'supported', {
    default: '5m0s',
    help: "How long the webhook's yes is kept.",
  }),
  webhookCacheUnauthorizedTtlMs: duration('authorization-webhook-cache-unauthorized-ttl', 'supported', {
    default: '30s',
    help: "How long the webhook's no is kept.",
  }),
});

export const admission = section('Admission', {
  configFile: file('admission-control-config-file', 'supported', {
    help: 'AdmissionConfiguration document with the configuration of admission plugins.',
  }),
  enablePlugins: strings('enable-admission-plugins', 'supported', {
    help:
      'Admission plugins to run besides those that are on by default. Their order here means nothing. This ' +
      'version has none but these; names of others are refused.',
  }),
  disablePlugins: strings('disable-admission-plugins', 'supported', {
    help: 'Admission plugins not to run although they are on by default. Their order here means nothing.',
  }),
  defaultNotReadyTolerationSeconds: int('default-not-ready-toleration-seconds', 'supported', {
    default: 300,
    help: 'How long a pod that says nothing about it stays on a node that is not ready.',
  }),
  defaultUnreachableTolerationSeconds: int('default-unreachable-toleration-seconds', 'supported', {
    default: 300,
    help: 'How long a pod that says nothing about it stays on a node that cannot be reached.',
  }),
  allowPrivileged: bool('allow-privileged', 'supported', { help: 'Accept pods with privileged containers.' }),
});
