/** What the command lines of all daemons beside the API server have: the parts of the daemon kernel. */
import { isGateOn, type GateSettings } from '../../../api/feature-gates.ts';
import { type OptionsOf, section } from '../flag.ts';
import { clientConnectionProblems, type ClientConnectionOptions } from './client-connection.ts';
import { daemonDebugging, debuggingProblems } from './debugging.ts';
import {
  delegatedAuthenticationFlags,
  delegatedAuthenticationProblems,
  delegatedAuthorizationFlags,
  delegatedAuthorizationProblems,
} from './delegated-access.ts';
import { leaderElectionFlags, leaderElectionProblems } from './leader-election.ts';
import { logProblems, logs } from './logs.ts';
import { metricProblems, metrics } from './metrics.ts';
import type { Problems, Spelling } from './problems.ts';
import { program } from './program.ts';
import {
  http2Flags,
  http2Problems,
  listenFlags,
  listenProblems,
  servingCertificateFlags,
  servingCertificateProblems,
  socketSharingFlags,
  socketSharingProblems,
  tlsFlags,
  tlsProblems,
} from './secure-serving.ts';

export interface DaemonDefaults {
  readonly securePort: number;
  /** Of the files of a self-signed certificate, and the common name in it. */
  readonly pairName: string;
  readonly lock: { readonly namespace: string; readonly name: string };
  readonly tolerateLookupFailure: boolean;
}

export const daemonSections = ({ securePort, pairName, lock, tolerateLookupFailure }: DaemonDefaults) => ({
  leaderElection: leaderElectionFlags(lock),
  serving: section('Serving', {
    ...listenFlags({ securePort }, 'optional'),
    ...servingCertificateFlags(pairName, { certDir: '' }),
    ...tlsFlags,
    ...http2Flags,
    ...socketSharingFlags,
  }),
  authentication: delegatedAuthenticationFlags({ tolerateLookupFailure }),
  authorization: delegatedAuthorizationFlags,
  debugging: daemonDebugging,
  logs,
  metrics,
  program,
});

/** As the kernel takes them, with what the daemon says of its connection to the API server. */
export type DaemonOptions = Omit<OptionsOf<ReturnType<typeof daemonSections>>, 'program'> & {
  readonly client: ClientConnectionOptions & {
    /** How built-in types are asked for, when not as they are sent. */
    readonly acceptContentTypes?: string;
  };
};

export const daemonProblems = (options: DaemonOptions, gates: GateSettings, spelled: Spelling): Problems => [
  ...leaderElectionProblems(options.leaderElection, spelled),
  ...listenProblems(options.serving, spelled, 'optional'),
  ...servingCertificateProblems(options.serving),
  ...tlsProblems(options.serving, spelled),
  ...http2Problems(options.serving, spelled),
  ...socketSharingProblems(options.serving, spelled),
  ...delegatedAuthenticationProblems(options.authentication, spelled, isGateOn('RemoteRequestHeaderUID', gates)),
  ...delegatedAuthorizationProblems(options.authorization, spelled),
  ...clientConnectionProblems(options.client, spelled),
  ...debuggingProblems(options.debugging, spelled),
  ...logProblems(options.logs, spelled),
  ...metricProblems(options.metrics, spelled),
];
