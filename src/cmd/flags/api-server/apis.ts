import { section } from '../flag.ts';
import { emulatedVersionFlag } from '../shared/emulated-version.ts';
import { featureGates } from '../shared/feature-gates.ts';
import { runtimeConfig } from '../runtime-config.ts';

export const apis = section('API enablement', {
  featureGates,
  runtimeConfig: runtimeConfig('runtime-config', 'supported', {
    help:
      'Which built-in APIs are served: group/version[/resource]=true|false, or api/all, api/ga, api/beta, ' +
      'api/alpha for all of that maturity.',
  }),
  emulatedVersions: emulatedVersionFlag,
});
