/** Recorded cases that this server does not answer alike, by `file: case`, each with the reason. */
const needsRbac = 'authorization mode RBAC is not there yet: whoever is known may do everything';
const needsAnonymous = 'anonymous requests are off in mode AlwaysAllow, so a request without a token is not known at all';
const needsTokens = 'service account tokens are not signed yet, and without their issuer there is no audience to name in a token review';
const ownVersion = 'gitVersion carries our build metadata, and what compiled it is not gc';
const ownChecks = 'the checks are those of this server; upstream names the start-up steps of its own code';

export const deviations: Readonly<Record<string, string>> = {
  'protocol-errors: no-token': needsAnonymous,
  'protocol-errors: malformed-authorization': needsAnonymous,
  'protocol-errors: forbidden-watch': needsRbac,
  'protocol-errors: forbidden-write': needsRbac,
  'protocol-errors: forbidden-subresource': needsRbac,
  'protocol-errors: forbidden-named-group': needsRbac,
  'protocol-errors: forbidden-unknown-resource': needsRbac,
  'protocol-errors: impersonation-extra': needsRbac,
  'protocol-errors: rbac-grant-then-allowed': needsRbac,
  'protocol-subresources: self-subject-review': needsAnonymous,
  'protocol-subresources: self-subject-access-review': needsRbac,
  'protocol-subresources: self-subject-rules-review': needsRbac,
  'protocol-subresources: subject-access-review-invalid': needsRbac,
  'protocol-subresources: access-review-after-grant': needsRbac,
  'protocol-subresources: csr-create': needsRbac,
  'protocol-subresources: token-request': needsTokens,
  'protocol-subresources: token-review': needsTokens,
  'kinds-rbac: TokenReview review known': needsTokens,
  'kinds-rbac: SubjectAccessReview review not-allowed': needsRbac,
  'kinds-rbac: LocalSubjectAccessReview review not-allowed': needsRbac,
  'kinds-rbac: SelfSubjectRulesReview review golden': needsRbac,
  'protocol-errors: allowed-discovery-alice': ownVersion,
  'protocol-discovery: version': ownVersion,
  'protocol-discovery: livez': ownChecks,
  'protocol-discovery: readyz': ownChecks,
  'protocol-discovery: root-paths': 'service account discovery is not there yet',
  'protocol-discovery: openapi-v2': 'the shared parameters are fewer: ours have fewer wordings of the same one',
};
