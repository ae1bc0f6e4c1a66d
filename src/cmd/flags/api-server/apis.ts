import { section, strings } from '../flag.ts';
import { featureGates, knownGates } from '../shared/feature-gates.ts';
import { runtimeConfig } from '../runtime-config.ts';

export const apis = section('API enablement', {
  featureGates: featureGates('feature-gates', 'supported', {
    help:
      'Gate=true|false, comma separated: switches features that are not settled yet. AllAlpha and AllBeta stand ' +
      `for all gates of that stage. Gates: ${knownGates().join(', ')}.`,
  }),
  runtimeConfig: runtimeConfig('runtime-config', 'supported', {
    help:
      'Which built-in APIs are served: group/version[/resource]=true|false, or api/all, api/ga, api/beta, ' +
      'api/alpha for all of that maturity.',
  }),
  emulatedVersions: strings('emulated-version', 'unsupported', { help: 'Behave like this older minor version.' }),
});
