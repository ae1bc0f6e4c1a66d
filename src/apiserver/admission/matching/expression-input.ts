/**
 * What expressions about a request see of it: `request`, `authorizer` and `authorizer.requestResource`.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 *   | Matching requests: matchConditions}
 */
import type { AuthorizationAttributes, Authorizer } from '../../../auth/authorization/authorizer.ts';
import { selectors } from '../../../auth/authorization/authorizer.ts';
import {
  type Answer,
  AuthorizerValue,
  type Outcome,
  type Program,
  type Question,
  ResourceCheck,
  type Value,
} from '../../../cel/index.ts';
import { parseFieldSelector } from '../../../machinery/field-selector.ts';
import { parseLabelSelector } from '../../../machinery/label-selector-text.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import type { AdmissionAttributes, ResourceForm } from '../../../registry/admission.ts';
import { namespaceOf } from './rules.ts';

// Of every request that a webhook or a policy is for. Members are assigned one by one, because a spread (`...`) takes
// more than a microsecond.

/** A user as reviews show it: what is empty is left out. */
export function userJson({ name, uid = '', groups, extra }: UserInfo): Readonly<Record<string, unknown>> {
  const json: Record<string, unknown> = {};
  if (name !== '') json['username'] = name;
  if (uid !== '') json['uid'] = uid;
  if (groups.length > 0) json['groups'] = groups;
  if (extra !== undefined && Object.keys(extra).length > 0) json['extra'] = extra;
  return json;
}

/** An AdmissionRequest without objects, as JSON. @param uid where it is in it */
export function requestJson(
  attributes: AdmissionAttributes,
  { kind, resource }: ResourceForm,
  uid?: string,
): Readonly<Record<string, unknown>> {
  const { subresource, name, operation } = attributes;
  const json: Record<string, unknown> = {};
  if (uid !== undefined) json['uid'] = uid;
  json['kind'] = kind;
  json['resource'] = resource;
  if (subresource !== '') json['subResource'] = subresource;
  json['requestKind'] = attributes.kind;
  json['requestResource'] = attributes.resource;
  if (subresource !== '') json['requestSubResource'] = subresource;
  if (name !== '') json['name'] = name;
  const namespace = namespaceOf(attributes);
  if (namespace !== '') json['namespace'] = namespace;
  json['operation'] = operation;
  json['userInfo'] = userJson(attributes.user);
  json['dryRun'] = attributes.dryRun;
  json['options'] = operation === 'CONNECT' ? null : attributes.options;
  return json;
}

/** The answers to what expressions ask while they run. An evaluation does not wait, so it begins anew after each. */
export class AuthorizerAnswers {
  readonly #attributes: AdmissionAttributes;
  readonly #authorizer: Authorizer;
  readonly #answers = new Map<string, Answer>();

  constructor(attributes: AdmissionAttributes, authorizer: Authorizer) {
    this.#attributes = attributes;
    this.#authorizer = authorizer;
  }

  /** The variables, by name. */
  get variables(): Readonly<Record<string, Value>> {
    const authorizer = new AuthorizerValue((question) => this.#answer(question));
    const { resource, subresource, name } = this.#attributes;
    const namespace = namespaceOf(this.#attributes);
    const about = { group: resource.group, resource: resource.resource, subresource, namespace, name };
    return { authorizer, 'authorizer.requestResource': new ResourceCheck(authorizer, about) };
  }

  /** Runs the program, again whenever it needed an answer that was not there. */
  async evaluate(
    program: Program,
    bindings: Readonly<Record<string, Value | undefined>>,
    budget?: number,
  ): Promise<Outcome> {
    for (;;) {
      try {
        return program.evaluate(bindings, budget);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        this.#answers.set(error.key, await this.#ask(error.question));
      }
    }
  }

  #answer(question: Question): Answer {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known === undefined) throw new Unanswered(key, question);
    return known;
  }

  async #ask(question: Question): Promise<Answer> {
    const { decision, reason, error } = await this.#authorizer.authorize(toAttributes(question, this.#attributes.user));
    return { allowed: decision === 'allow', reason, ...(error === undefined ? {} : { error }) };
  }
}

/** Leaves an evaluation. No error of the expression. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
  readonly key: string;
  readonly question: Question;

  constructor(key: string, question: Question) {
    super('a question to the authorizer has no answer yet');
    this.key = key;
    this.question = question;
  }
}

function toAttributes(question: Question, caller: UserInfo): AuthorizationAttributes {
  const { verb, serviceAccount } = question;
  const user = serviceAccount === undefined ? caller : serviceAccountUser(serviceAccount);
  const none = { group: '', version: '', namespace: '', resource: '', subresource: '', name: '' };
  if ('path' in question) return { ...none, user, verb, isResourceRequest: false, path: question.path };
  const { fieldSelector = '', labelSelector = '', ...about } = question.resource;
  return {
    ...none,
    ...about,
    version: '*',
    user,
    verb,
    isResourceRequest: true,
    path: '',
    ...selectors(parsed(fieldSelector, parseFieldSelector), parsed(labelSelector, parseLabelSelector)),
  };
}

const serviceAccountUser = ({ namespace, name }: { namespace: string; name: string }): UserInfo => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
});

/** What cannot be parsed narrows nothing down. */
function parsed<T>(text: string, parse: (text: string) => readonly T[]): readonly T[] {
  try {
    return text === '' ? [] : parse(text);
  } catch {
    return [];
  }
}
