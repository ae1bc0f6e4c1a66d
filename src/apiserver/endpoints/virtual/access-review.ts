/**
 * Reviews that ask the authorizer: whether a user (SubjectAccessReview, LocalSubjectAccessReview) or the client itself
 * (SelfSubjectAccessReview) has a right, and which rights the client has (SelfSubjectRulesReview).
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access | Checking API
 *   access}
 */
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewStatus,
} from '../../../api/gen/types/authorization-v1.ts';
import { badRequest } from '../../../machinery/status.ts';
import { runCooperatively } from '../../../machinery/cooperative-scheduling.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import {
  type AuthorizationAttributes,
  type AuthorizationRules,
  type Authorizer,
  selectors,
} from '../../../auth/authorization/authorizer.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import type { EndpointContext } from '../context.ts';
import type { ServedResource } from '../../served/served-resource.ts';
import { fieldsOfReview, labelsOfReview } from './access-review-selectors.ts';
import { checkReview, type ReviewKind, type ReviewSpec } from './access-review-validation.ts';
import { readOperation, validateOperation, valueResponse } from './operation.ts';

type Handler = (served: ServedResource, request: ApiRequest) => Promise<ApiResponse>;
type Review = SubjectAccessReview | LocalSubjectAccessReview | SelfSubjectAccessReview;

export function createAccessReview(context: EndpointContext, authorizer: Authorizer, kind: ReviewKind): Handler {
  return async (served, request) => {
    const operation = await readOperation<Review>(context, served, request, served.servedVersion);
    const { object: review, write } = operation;
    checkReview(kind, review, write.namespace);
    await validateOperation(context, served, request, operation);
    const spec = review.spec as ReviewSpec;
    const user = kind === 'SelfSubjectAccessReview' ? request.user : subjectOf(spec);
    review.status = await decide(authorizer, spec, user);
    return valueResponse(context, served, request, 201, { ...operation, value: review });
  };
}

const subjectOf = ({ user = '', uid, groups = [], extra }: ReviewSpec): UserInfo => ({
  name: user,
  groups,
  ...(uid === undefined ? {} : { uid }),
  ...(extra === undefined ? {} : { extra }),
});

/** What a review asks about; `problems` are parts of it that could not be understood and narrow nothing down. */
async function attributesOf(
  { resourceAttributes, nonResourceAttributes }: ReviewSpec,
  user: UserInfo,
): Promise<{ attributes: AuthorizationAttributes; problems: string[] }> {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes!;
    return {
      attributes: {
        user,
        verb,
        path,
        isResourceRequest: false,
        group: '',
        version: '',
        namespace: '',
        resource: '',
        subresource: '',
        name: '',
      },
      problems: [],
    };
  }
  const {
    verb = '',
    group = '',
    version = '',
    namespace = '',
    resource = '',
    subresource = '',
    name = '',
    fieldSelector,
    labelSelector,
  } = resourceAttributes;
  const problems: string[] = [];
  const narrowed = selectors(
    await runCooperatively(fieldsOfReview(fieldSelector, problems)),
    await runCooperatively(labelsOfReview(labelSelector, problems)),
  );
  return {
    attributes: {
      user,
      verb,
      group,
      version: version === '' ? '*' : version,
      namespace,
      resource,
      subresource,
      name,
      path: '',
      isResourceRequest: true,
      ...narrowed,
    },
    problems,
  };
}

async function decide(authorizer: Authorizer, spec: ReviewSpec, user: UserInfo): Promise<SubjectAccessReviewStatus> {
  const { attributes, problems } = await attributesOf(spec, user);
  const { decision, reason, error } = await authorizer.authorize(attributes);
  const errors = [...(error === undefined ? [] : [error]), ...problems];
  return {
    ...(decision === 'allow' ? { allowed: true } : {}),
    ...(decision === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(errors.length === 0 ? {} : { evaluationError: errors.join(', ') }),
  };
}

export function createRulesReview(context: EndpointContext, authorizer: Authorizer): Handler {
  return async (served, request) => {
    const operation = await readOperation<SelfSubjectRulesReview>(context, served, request, served.servedVersion);
    const namespace = operation.object.spec?.namespace ?? '';
    if (namespace === '') throw badRequest('no namespace on request');
    await validateOperation(context, served, request, operation);
    const rules = await authorizer.rulesFor?.(request.user, namespace);
    return valueResponse(context, served, request, 201, {
      ...operation,
      value: { metadata: {}, spec: {}, status: statusOf(rules) } as SelfSubjectRulesReview,
    });
  };
}

const statusOf = (
  { error, ...rules }: AuthorizationRules = {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'the authorizer cannot list rules',
  },
): object => ({ ...rules, ...(error === undefined ? {} : { evaluationError: error }) });
