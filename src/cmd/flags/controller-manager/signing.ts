/** Which authority signs for which signer. */
import type { SignerFiles, SignerOptions } from '../../../controllers/manager/options.ts';
import type { Problems } from '../shared/problems.ts';
import type { ControllerManagerFlagOptions } from './table.ts';

type Signing = ControllerManagerFlagOptions['signingController'];
type Pair = readonly [certFile: string | undefined, keyFile: string | undefined];

const pairsOf = (options: Signing): Readonly<Record<keyof SignerOptions, Pair>> => ({
  kubeApiserverClient: [options.clientCertFile, options.clientKeyFile],
  kubeletClient: [options.nodeAgentClientCertFile, options.nodeAgentClientKeyFile],
  kubeletServing: [options.nodeAgentServingCertFile, options.nodeAgentServingKeyFile],
  legacyUnknown: [options.legacyUnknownCertFile, options.legacyUnknownKeyFile],
});

/** The names that upstream's messages have for the pairs. */
const configurations: Readonly<Record<keyof SignerOptions, string>> = {
  kubeletServing: 'cluster-signing-kubelet-serving',
  kubeletClient: 'cluster-signing-kube-apiserver-client',
  kubeApiserverClient: 'cluster-signing-kube-apiserver',
  legacyUnknown: 'cluster-signing-legacy-unknown',
};

export function checkSigning(options: Signing): Problems {
  const pairs = pairsOf(options);
  const own = Object.values(pairs).flat();
  return [
    ...Object.entries(configurations).map(([signer, name]) =>
      half(pairs[signer as keyof SignerOptions], `"${name}": `),
    ),
    half([options.certFile, options.keyFile], ''),
    (options.certFile !== undefined || options.keyFile !== undefined) &&
      own.some((file) => file !== undefined) &&
      'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
  ];
}

function half([certFile, keyFile]: Pair, of: string): string | undefined {
  if ((certFile === undefined) === (keyFile === undefined)) return undefined;
  return `${of}${certFile === undefined ? 'cannot specify key without cert' : 'cannot specify cert without key'}`;
}

/** The common pair signs for all signers, where there is one. */
export function signersOf(options: Signing): SignerOptions {
  const filesOf = ([certFile = options.certFile, keyFile = options.keyFile]: Pair): SignerFiles | undefined =>
    certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
  const { kubeApiserverClient, kubeletClient, kubeletServing, legacyUnknown } = pairsOf(options);
  return {
    kubeApiserverClient: filesOf(kubeApiserverClient),
    kubeletClient: filesOf(kubeletClient),
    kubeletServing: filesOf(kubeletServing),
    legacyUnknown: filesOf(legacyUnknown),
  };
}
