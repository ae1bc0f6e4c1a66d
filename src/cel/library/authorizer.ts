/**
 * What the user of a request may do. The caller that sets the variable `authorizer` provides the decisions.
 * @see {@link https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-authorizer-library | Kubernetes authorizer
 *   library}
 */
import { type FunctionDeclaration, type Library, memberOverload } from '../check/declarations.ts';
import { opaqueType } from '../check/types.ts';
import * as estimates from '../cost/call-estimates.ts';
import { exactly } from '../cost/range.ts';
import { selectorCost, valueSize } from '../cost/sizes.ts';
import { CelError, Opaque, type Value } from '../values/values.ts';
import { B, S } from './signatures.ts';

export const authorizerType = opaqueType('kubernetes.authorization.Authorizer');
const pathCheckType = opaqueType('kubernetes.authorization.PathCheck');
const groupCheckType = opaqueType('kubernetes.authorization.GroupCheck');
export const resourceCheckType = opaqueType('kubernetes.authorization.ResourceCheck');
const decisionType = opaqueType('kubernetes.authorization.Decision');

/** The user whose rights are checked; the user of the request when absent. */
export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

export interface ResourceQuestion {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Selectors as the expression has them; the authorizer ignores one that it cannot parse. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export type Question = { readonly verb: string; readonly serviceAccount?: ServiceAccount } & (
  | { readonly path: string }
  | { readonly resource: ResourceQuestion }
);

export interface Answer {
  readonly allowed: boolean;
  readonly reason: string;
  /** The authorizer failed. */
  readonly error?: string;
}

/** Answers at once: an evaluation does not wait. */
export type Ask = (question: Question) => Answer;

abstract class AuthorizationValue extends Opaque {
  override equals(other: Opaque): boolean {
    return this === other;
  }
}

/** The variable `authorizer`. */
export class AuthorizerValue extends AuthorizationValue {
  override readonly type = authorizerType;
  readonly ask: Ask;
  readonly serviceAccount: ServiceAccount | undefined;
  constructor(ask: Ask, serviceAccount?: ServiceAccount) {
    super();
    this.ask = ask;
    this.serviceAccount = serviceAccount;
  }
}

class PathCheck extends AuthorizationValue {
  override readonly type = pathCheckType;
  readonly of: AuthorizerValue;
  readonly path: string;
  constructor(of: AuthorizerValue, path: string) {
    super();
    this.of = of;
    this.path = path;
  }
}

class GroupCheck extends AuthorizationValue {
  override readonly type = groupCheckType;
  readonly of: AuthorizerValue;
  readonly group: string;
  constructor(of: AuthorizerValue, group: string) {
    super();
    this.of = of;
    this.group = group;
  }
}

/** Also the variable `authorizer.requestResource`. */
export class ResourceCheck extends AuthorizationValue {
  override readonly type = resourceCheckType;
  readonly of: AuthorizerValue;
  readonly resource: ResourceQuestion;
  constructor(of: AuthorizerValue, resource: ResourceQuestion) {
    super();
    this.of = of;
    this.resource = resource;
  }

  with(more: Partial<ResourceQuestion>): ResourceCheck {
    return new ResourceCheck(this.of, { ...this.resource, ...more });
  }
}

class Decision extends AuthorizationValue {
  override readonly type = decisionType;
  readonly answer: Answer;
  constructor(answer: Answer) {
    super();
    this.answer = answer;
  }
}

function ask(
  { ask: put, serviceAccount }: AuthorizerValue,
  verb: string,
  about: { path: string } | { resource: ResourceQuestion },
): Decision {
  return new Decision(put({ verb, ...about, ...(serviceAccount === undefined ? {} : { serviceAccount }) }));
}

function readPath(authorizer: AuthorizerValue, path: string): Value {
  return path === '' ? new CelError('path must not be empty') : new PathCheck(authorizer, path);
}

const checking = { cost: () => estimates.authorizationCost, estimate: estimates.authorizes };
const readsSelector = {
  cost: (_: Value, text?: Value): number => selectorCost(exactly(valueSize(text!))).max,
  estimate: estimates.readsSelector,
};
const refine = (name: keyof ResourceQuestion & string, id: string, extras = {}): FunctionDeclaration => ({
  name,
  overloads: [
    memberOverload(
      id,
      [resourceCheckType, S],
      resourceCheckType,
      (check: ResourceCheck, value: string) => check.with({ [name]: value }),
      extras,
    ),
  ],
});

export const authorizerLibrary: Library = {
  functions: [
    { name: 'path', overloads: [memberOverload('authorizer_path', [authorizerType, S], pathCheckType, readPath)] },
    {
      name: 'group',
      overloads: [
        memberOverload(
          'authorizer_group',
          [authorizerType, S],
          groupCheckType,
          (of: AuthorizerValue, group: string) => new GroupCheck(of, group),
        ),
      ],
    },
    {
      name: 'serviceAccount',
      overloads: [
        memberOverload(
          'authorizer_serviceaccount',
          [authorizerType, S, S],
          authorizerType,
          (of: AuthorizerValue, namespace: string, name: string) => new AuthorizerValue(of.ask, { namespace, name }),
        ),
      ],
    },
    {
      name: 'resource',
      overloads: [
        memberOverload(
          'groupcheck_resource',
          [groupCheckType, S],
          resourceCheckType,
          ({ of, group }: GroupCheck, resource: string) => new ResourceCheck(of, { group, resource }),
        ),
      ],
    },
    refine('subresource', 'resourcecheck_subresource'),
    refine('namespace', 'resourcecheck_namespace'),
    refine('name', 'resourcecheck_name'),
    refine('fieldSelector', 'authorizer_fieldselector', readsSelector),
    refine('labelSelector', 'authorizer_labelselector', readsSelector),
    {
      name: 'check',
      overloads: [
        memberOverload(
          'pathcheck_check',
          [pathCheckType, S],
          decisionType,
          ({ of, path }: PathCheck, verb: string) => ask(of, verb, { path }),
          checking,
        ),
        memberOverload(
          'resourcecheck_check',
          [resourceCheckType, S],
          decisionType,
          ({ of, resource }: ResourceCheck, verb: string) => ask(of, verb, { resource }),
          checking,
        ),
      ],
    },
    {
      name: 'allowed',
      overloads: [memberOverload('decision_allowed', [decisionType], B, ({ answer }: Decision) => answer.allowed)],
    },
    {
      name: 'reason',
      overloads: [memberOverload('decision_reason', [decisionType], S, ({ answer }: Decision) => answer.reason)],
    },
    {
      name: 'errored',
      overloads: [
        memberOverload('decision_errored', [decisionType], B, ({ answer }: Decision) => answer.error !== undefined),
      ],
    },
    {
      name: 'error',
      overloads: [memberOverload('decision_error', [decisionType], S, ({ answer }: Decision) => answer.error ?? '')],
    },
  ],
};
