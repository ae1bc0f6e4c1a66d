/** Controllers of certificates and of service account tokens. */
import { defaultControllerManagerOptions } from '../../../controllers/manager/options.ts';
import { formatDuration } from '../duration.ts';
import { duration, type Flag, file, section } from '../flag.ts';
import { syncs } from './flag-forms.ts';

const { legacyServiceAccountTokenCleaner, serviceAccountToken, signing } = defaultControllerManagerOptions;

type PairFile = Flag<string | undefined>;

/** @param alias what the part of the name is in flags of the original, where it is another one */
const signerFile = (name: string, kind: 'cert' | 'key', signer: string, alias?: string): PairFile =>
  file(`cluster-signing-${name}-${kind}-file`, 'supported', {
    help:
      `PEM file with the ${kind === 'cert' ? 'certificate' : 'private key'} of the authority that signs for ` +
      `kubernetes.io/${signer}. Not together with --cluster-signing-cert-file and --cluster-signing-key-file.`,
    ...(alias === undefined ? {} : { alias: `cluster-signing-${alias}-${kind}-file` }),
  });

export const signingController = section('Certificate signing controller', {
  durationMs: duration('cluster-signing-duration', 'supported', {
    default: formatDuration(signing.durationMs),
    help: 'How long signed certificates are valid at most. A request may ask for less by spec.expirationSeconds.',
  }),
  certFile: file('cluster-signing-cert-file', 'supported', {
    help: 'PEM file with the certificate of the authority that signs for all signers.',
  }),
  keyFile: file('cluster-signing-key-file', 'supported', {
    help: 'PEM file with its private key.',
  }),
  clientCertFile: signerFile('kube-apiserver-client', 'cert', 'kube-apiserver-client'),
  clientKeyFile: signerFile('kube-apiserver-client', 'key', 'kube-apiserver-client'),
  nodeAgentClientCertFile: signerFile('nodeagent-client', 'cert', 'kube-apiserver-client-kubelet', 'kubelet-client'),
  nodeAgentClientKeyFile: signerFile('nodeagent-client', 'key', 'kube-apiserver-client-kubelet', 'kubelet-client'),
  nodeAgentServingCertFile: signerFile('nodeagent-serving', 'cert', 'kubelet-serving', 'kubelet-serving'),
  nodeAgentServingKeyFile: signerFile('nodeagent-serving', 'key', 'kubelet-serving', 'kubelet-serving'),
  legacyUnknownCertFile: signerFile('legacy-unknown', 'cert', 'legacy-unknown'),
  legacyUnknownKeyFile: signerFile('legacy-unknown', 'key', 'legacy-unknown'),
});

export const serviceAccountController = section('Service account controller', {
  privateKeyFile: file('service-account-private-key-file', 'supported', {
    help: 'PEM file with the private key that signs the tokens in secrets. Without it none are made.',
  }),
  rootCaFile: file('root-ca-file', 'supported', {
    help: 'PEM file with the authorities of the API server, for secrets with tokens and for config maps in namespaces.',
  }),
  concurrentTokenSyncs: syncs('concurrent-serviceaccount-token-syncs', serviceAccountToken, 'service account tokens'),
});

export const legacyTokenCleaner = section('Legacy service account token cleaner', {
  cleanUpPeriodMs: duration('legacy-service-account-token-clean-up-period', 'supported', {
    default: formatDuration(legacyServiceAccountTokenCleaner.cleanUpPeriodMs),
    help: 'How long a token in a secret must not have been used before it is cleaned up.',
  }),
});
