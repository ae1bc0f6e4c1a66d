/**
 * Reviews that ask the authorizer: may somebody (SubjectAccessReview, LocalSubjectAccessReview) or may I
 * (SelfSubjectAccessReview) do this, and what may I do at all (SelfSubjectRulesReview).
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access | Checking API access}
 */
import type { LocalSubjectAccessReview, ResourceAttributes, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview, SubjectAccessReviewStatus } from '../../../api/gen/types/authorization-v1.ts';
import { badRequest } from '../../../machinery/status.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import type { AuthorizationAttributes, Authorizer } from '../../filters/authorization.ts';
import type { ApiRequest, ApiResponse } from '../../request.ts';
import type { EndpointContext } from '../context.ts';
import type { ServedResource } from '../served.ts';
import { checkReview, type ReviewKind, type ReviewSpec } from './access-review-validation.ts';
import { readOperation, validateOperation, valueResponse } from './operation.ts';

type Handler = (served: ServedResource, request: ApiRequest) => Promise<ApiResponse>;
type Review = SubjectAccessReview | LocalSubjectAccessReview | SelfSubjectAccessReview;

export function createAccessReview(context: EndpointContext, authorizer: Authorizer, kind: ReviewKind): Handler {
  return async (served, request) => {
    const operation = await readOperation<Review>(context, served, request, served.form);
    const { object: review, write } = operation;
    checkReview(kind, review, write.namespace);
    await validateOperation(context, served, request, operation);
    const spec = review.spec as ReviewSpec;
    const user = kind === 'SelfSubjectAccessReview' ? request.user : subjectOf(spec);
    review.status = await decide(authorizer, attributesOf(spec, user), spec);
    return valueResponse(context, served, request, 201, { ...operation, value: review });
  };
}

const subjectOf = ({ user = '', uid, groups = [], extra }: ReviewSpec): UserInfo => ({ name: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) });

function attributesOf({ resourceAttributes, nonResourceAttributes }: ReviewSpec, user: UserInfo): AuthorizationAttributes {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes!;
    return { user, verb, path, isResourceRequest: false, group: '', version: '', namespace: '', resource: '', subresource: '', name: '' };
  }
  const { verb = '', group = '', version = '', namespace = '', resource = '', subresource = '', name = '' } = resourceAttributes;
  return { user, verb, group, version: version === '' ? '*' : version, namespace, resource, subresource, name, path: '', isResourceRequest: true };
}

async function decide(authorizer: Authorizer, attributes: AuthorizationAttributes, { resourceAttributes }: ReviewSpec): Promise<SubjectAccessReviewStatus> {
  const { decision, reason } = await authorizer.authorize(attributes);
  const ignored = ignoredSelectors(resourceAttributes);
  return {
    ...(decision === 'allow' ? { allowed: true } : {}), ...(decision === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }), ...(ignored.length === 0 ? {} : { evaluationError: ignored.join(', ') }),
  };
}

/** Requirements that a newer client knows and this server does not narrow nothing down: who asks is told. */
function ignoredSelectors(attributes: ResourceAttributes | undefined): string[] {
  const labelOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
  const fieldOperators = ['In', 'NotIn'];
  const isUnknown = (requirements: readonly { operator?: string }[] | undefined, known: readonly string[]): boolean => requirements?.some(({ operator = '' }) => !known.includes(operator)) === true;
  return [
    ...(isUnknown(attributes?.fieldSelector?.requirements, fieldOperators) ? ['spec.resourceAttributes.fieldSelector ignored due to parse error'] : []),
    ...(isUnknown(attributes?.labelSelector?.requirements, labelOperators) ? ['spec.resourceAttributes.labelSelector ignored due to parse error'] : []),
  ];
}

export function createRulesReview(context: EndpointContext, authorizer: Authorizer): Handler {
  return async (served, request) => {
    const operation = await readOperation<SelfSubjectRulesReview>(context, served, request, served.form);
    const namespace = operation.object.spec?.namespace ?? '';
    if (namespace === '') throw badRequest('no namespace on request');
    await validateOperation(context, served, request, operation);
    const rules = await authorizer.rulesFor?.(request.user, namespace);
    const status = rules === undefined ? { resourceRules: [], nonResourceRules: [], incomplete: true, evaluationError: 'the authorizer cannot list rules' } : { ...rules, incomplete: rules.incomplete };
    return valueResponse(context, served, request, 201, { ...operation, value: { metadata: {}, spec: {}, status } as SelfSubjectRulesReview });
  };
}
