/** Recorded cases that this server does not answer alike, by `file: case`, each with the reason. */
const needsRbac = 'authorization mode RBAC is not there yet: whoever is known may do everything';
const needsAnonymous = 'anonymous requests are off in mode AlwaysAllow, so a request without a token is not known at all';
const needsTokens = 'service account tokens are not signed yet, and without their issuer there is no audience to name in a token review';
const ownVersion = 'gitVersion carries our build metadata, and what compiled it is not gc';
const ownChecks = 'the checks are those of this server; upstream names the start-up steps of its own code';
const needsCel = 'CEL expressions are not compiled yet';
const needsAvailability = 'the controller that watches whether API services answer is not there yet';
const needsFlowControl = 'the mandatory objects of flow control and what watches flow schemas are not there yet';
const needsNaming = 'the controllers that accept names and establish definitions are not there yet';

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
  'kinds-extension: ValidatingWebhookConfiguration invalid condition-bad': needsCel,
  'kinds-extension: ValidatingWebhookConfiguration invalid condition-type': needsCel,
  'kinds-extension: MutatingWebhookConfiguration invalid condition-bad': needsCel,
  'kinds-extension: MutatingWebhookConfiguration invalid condition-type': needsCel,
  'kinds-extension: ValidatingAdmissionPolicy invalid expression-syntax': needsCel,
  'kinds-extension: ValidatingAdmissionPolicy invalid expression-not-bool': needsCel,
  'kinds-extension: ValidatingAdmissionPolicy invalid many': needsCel,
  'kinds-extension: CustomResourceDefinition invalid cel-bad-syntax': needsCel,
  'kinds-extension: CustomResourceDefinition invalid cel-bad-type': needsCel,
  'kinds-extension: CustomResourceDefinition invalid cel-cost': needsCel,
  'protocol-crds-refused: cel-compile': needsCel,
  'protocol-crds-refused: cel-settings': needsCel,
  'protocol-crds-refused: cel-transition-in-list': needsCel,
  'kinds-extension: APIService update priority': needsAvailability,
  'kinds-extension: APIService table local-and-service': needsAvailability,
  'kinds-extension: FlowSchema update precedence': needsFlowControl,
  'kinds-extension: FlowSchema update labels-keep-generation': needsFlowControl,
  'kinds-extension: FlowSchema status conditions': needsFlowControl,
  'kinds-extension: FlowSchema table two': needsFlowControl,
  'kinds-extension: PriorityLevelConfiguration table builtin-exempt': needsFlowControl,
  'kinds-extension: PriorityLevelConfiguration update builtin-refused-catch-all': needsFlowControl,
  'kinds-extension: CustomResourceDefinition update add-version': needsNaming,
  'kinds-extension: CustomResourceDefinition update schema-changed': needsNaming,
  'kinds-extension: CustomResourceDefinition update scope-refused': needsNaming,
  'kinds-extension: CustomResourceDefinition update short-names': needsNaming,
  'kinds-extension: CustomResourceDefinition update labels-keep-generation': needsNaming,
  'kinds-extension: CustomResourceDefinition create status-after-a-moment': needsNaming,
  'kinds-extension: CustomResourceDefinition table one': needsNaming,
  'kinds-workloads: DaemonSet table two': 'rows show the metadata that every other form of the object has; upstream makes them from a form that keeps the template generation elsewhere',
};
