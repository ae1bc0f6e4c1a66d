/** Recorded cases that this server does not answer alike, by `file: case`, each with the reason. */
const ownVersion = 'gitVersion carries our build metadata, and what compiled it is not gc';
const ownChecks =
  'the checks of leases of server identities and of the filter of priority and fairness have nothing behind them yet';
const goDiff = 'the recorded message ends with a diff of two Go structs';

export const deviations: Readonly<Record<string, string>> = {
  'protocol-errors: allowed-discovery-alice': ownVersion,
  'protocol-discovery: version': ownVersion,
  'protocol-discovery: livez': ownChecks,
  'protocol-discovery: readyz': ownChecks,
  'protocol-crds: validation-formats':
    'the errors of a custom object come in an order that varies from run to run upstream, and so does their text',
  'kinds-extension: FlowSchema table two':
    'the recorded server held one condition back: it had written many to schemas of that name in the minute before',
  'protocol-patches: strategic-atomic-lists': goDiff,
  'protocol-patches: patch-immutable-pod': goDiff,
  'protocol-subresources: ephemeral-containers': goDiff,
};
