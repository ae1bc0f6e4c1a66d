import { file, optionalText, section } from '../flag.ts';

export const connections = section('Egress and tracing', {
  egressSelectorConfigFile: file('egress-selector-config-file', 'supported', {
    help: 'EgressSelectorConfiguration document: through which proxies nodes, etcd and webhooks are reached.',
  }),
  tracingConfigFile: file('tracing-config-file', 'supported', {
    help: 'TracingConfiguration document: where OpenTelemetry traces go, and how many.',
  }),
});

export const cloud = section('Cloud provider', {
  provider: optionalText('cloud-provider', 'ignored', {
    help: 'There is no code for clouds in this server; cloud controller managers run beside it.',
  }),
  config: file('cloud-config', 'ignored', { help: 'Goes with --cloud-provider.' }),
});
