import {
  type AuthorizationAttributes,
  type AuthorizationDecision,
  type AuthorizationRules,
  type Authorizer,
  joinErrors,
  noRules,
  privilegedGroup,
} from './authorizer.ts';

export interface NamedAuthorizer {
  /** `RBAC`, `Webhook`, … */
  readonly type: string;
  /** What an operator calls it: the type in lower case, or the name in the configuration. */
  readonly name: string;
  readonly authorizer: Authorizer;
}

/** Told of every decision that one of the authorizers made. */
export type OnDecision = (by: NamedAuthorizer, decision: 'allow' | 'deny') => void;

/**
 * Authorizers in order: the first that allows or denies decides. Before all of them the privileged group may do
 * everything, so that an administrator can repair any configuration.
 */
export function createUnion(
  authorizers: readonly NamedAuthorizer[],
  onDecision: OnDecision = () => undefined,
): Authorizer {
  return {
    authorize(attributes) {
      if (attributes.user.groups.includes(privilegedGroup)) return { decision: 'allow', reason: '' };
      return askFrom(0, authorizers, attributes, onDecision, [], []);
    },
    rulesFor: async (user, namespace) => {
      const all = await Promise.all(
        authorizers.map(async ({ authorizer }) => authorizer.rulesFor?.(user, namespace) ?? noRules),
      );
      return all.reduce(joinRules, noRules);
    },
  };
}

/** Awaits only asynchronous authorizers: those in memory answer synchronously. */
function askFrom(
  start: number,
  authorizers: readonly NamedAuthorizer[],
  attributes: AuthorizationAttributes,
  onDecision: OnDecision,
  reasons: string[],
  errors: string[],
): AuthorizationDecision | Promise<AuthorizationDecision> {
  for (let i = start; i < authorizers.length; i++) {
    const asked = authorizers[i]!;
    const answer = asked.authorizer.authorize(attributes);
    if (answer instanceof Promise) {
      return answer.then(
        (decision) =>
          settle(asked, decision, onDecision, reasons, errors) ??
          askFrom(i + 1, authorizers, attributes, onDecision, reasons, errors),
      );
    }
    const decided = settle(asked, answer, onDecision, reasons, errors);
    if (decided !== undefined) return decided;
  }
  return {
    decision: 'noOpinion',
    reason: reasons.join('\n'),
    ...(errors.length === 0 ? {} : { error: joinErrors(errors) }),
  };
}

function settle(
  asked: NamedAuthorizer,
  answer: AuthorizationDecision,
  onDecision: OnDecision,
  reasons: string[],
  errors: string[],
): AuthorizationDecision | undefined {
  if (answer.decision !== 'noOpinion') {
    onDecision(asked, answer.decision);
    return answer;
  }
  if (answer.reason !== '') reasons.push(answer.reason);
  if (answer.error !== undefined) errors.push(answer.error);
  return undefined;
}

const joinRules = (a: AuthorizationRules, b: AuthorizationRules): AuthorizationRules => {
  const errors = [a.error, b.error].filter((error) => error !== undefined);
  return {
    resourceRules: [...a.resourceRules, ...b.resourceRules],
    nonResourceRules: [...a.nonResourceRules, ...b.nonResourceRules],
    incomplete: a.incomplete || b.incomplete,
    ...(errors.length === 0 ? {} : { error: errors.join(', ') }),
  };
};
