/** What an AuthenticationConfiguration must be like, in the reference's words; and its expressions, compiled. */
import { duplicate, type FieldError, invalid, omitted, required, tooMany } from '../../../machinery/field-error.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { readCertificates } from '../certificate-chain.ts';
import type { AuthenticationConfiguration, JwtAuthenticatorConfig, PrefixedMapping } from './configuration.ts';
import { compileExpression, type Expression, type Result, type Subject } from './expressions.ts';

const maxAuthenticators = 64;
const bothSet = "claim and expression can't both be set";

/** Expressions of one authenticator, as they lie in it; `undefined` where there are none. */
export interface CompiledExpressions {
  readonly username: Expression | undefined;
  readonly groups: Expression | undefined;
  readonly uid: Expression | undefined;
  readonly extra: readonly { readonly key: string; readonly value: Expression }[];
  readonly claimRules: readonly { readonly expression: Expression; readonly message: string }[];
  readonly userRules: readonly { readonly expression: Expression; readonly message: string }[];
}

export interface Judged {
  readonly errors: readonly FieldError[];
  /** One per entry of `jwt`; of use only without errors. */
  readonly compiled: readonly CompiledExpressions[];
}

/** @param disallowedIssuers those of service accounts: their tokens are not for others to judge */
export function validateAuthenticationConfiguration({ jwt, anonymous }: AuthenticationConfiguration, disallowedIssuers: readonly string[]): Judged {
  const root = FieldPath.of('jwt');
  if (jwt.length > maxAuthenticators) return { errors: [tooMany(root, jwt.length, maxAuthenticators)], compiled: [] };
  const errors: FieldError[] = [];
  const compiled = jwt.map((authenticator, index) => new Judge(authenticator, root.index(index), errors).judge(disallowedIssuers));
  errors.push(
    ...repeated(jwt.map(({ issuer }) => issuer.url), (index) => root.index(index).child('issuer', 'url')),
    ...repeated(jwt.map(({ issuer }) => issuer.discoveryURL), (index) => root.index(index).child('issuer', 'discoveryURL')),
  );
  if (anonymous !== undefined && !anonymous.enabled && anonymous.conditions.length > 0) {
    errors.push(invalid(FieldPath.of('anonymous', 'conditions'), JSON.stringify(anonymous.conditions), 'enabled should be set to true when conditions are defined'));
  }
  return { errors, compiled };
}

function repeated(values: readonly string[], pathOf: (index: number) => FieldPath): FieldError[] {
  return values.flatMap((value, index) => (value !== '' && values.indexOf(value) < index ? [duplicate(pathOf(index), value)] : []));
}

class Judge {
  readonly #config: JwtAuthenticatorConfig;
  readonly #path: FieldPath;
  readonly #errors: FieldError[];

  constructor(config: JwtAuthenticatorConfig, path: FieldPath, errors: FieldError[]) {
    this.#config = config;
    this.#path = path;
    this.#errors = errors;
  }

  judge(disallowedIssuers: readonly string[]): CompiledExpressions {
    this.#judgeIssuer(disallowedIssuers);
    const claimRules = this.#claimRules();
    const { username, groups } = this.#config.claimMappings;
    const mappings = this.#path.child('claimMappings');
    const compiled = {
      claimRules, username: this.#mapping(username, mappings.child('username'), true), groups: this.#mapping(groups, mappings.child('groups'), false),
      uid: this.#uid(mappings.child('uid')), extra: this.#extra(mappings.child('extra')), userRules: this.#userRules(),
    };
    this.#judgeEmail(compiled);
    return compiled;
  }

  #judgeIssuer(disallowedIssuers: readonly string[]): void {
    const { url, discoveryURL, certificateAuthority } = this.#config.issuer;
    const path = this.#path.child('issuer');
    if (url === '') this.#errors.push(required(path.child('url'), 'URL is required'));
    else this.#errors.push(...urlErrors(url, path.child('url'), disallowedIssuers));
    if (discoveryURL !== '') {
      if (url !== '' && url.replace(/\/+$/, '') === discoveryURL.replace(/\/+$/, '')) this.#errors.push(invalid(path.child('discoveryURL'), discoveryURL, 'discoveryURL must be different from URL'));
      this.#errors.push(...urlErrors(discoveryURL, path.child('discoveryURL'), []));
    }
    this.#judgeAudiences(path);
    if (certificateAuthority !== '') this.#attempt(() => readCertificates(certificateAuthority), (message) => invalid(path.child('certificateAuthority'), omitted, message));
  }

  #judgeAudiences(path: FieldPath): void {
    const { audiences, audienceMatchPolicy: policy } = this.#config.issuer;
    const list = path.child('audiences');
    if (audiences.length === 0) {
      this.#errors.push(required(list, `at least one ${list.toString()} is required`));
      return;
    }
    this.#errors.push(...audiences.flatMap((audience, index) => (audience === '' ? [required(list.index(index), 'audience is required')] : [])), ...repeated(audiences, (index) => list.index(index)));
    if (audiences.length > 1 && policy !== 'MatchAny') this.#errors.push(invalid(path.child('audienceMatchPolicy'), policy, 'audienceMatchPolicy must be MatchAny for multiple audiences'));
    if (audiences.length === 1 && policy !== '' && policy !== 'MatchAny') this.#errors.push(invalid(path.child('audienceMatchPolicy'), policy, 'audienceMatchPolicy must be empty or MatchAny for single audience'));
  }

  #claimRules(): CompiledExpressions['claimRules'] {
    const rules = this.#config.claimValidationRules;
    const list = this.#path.child('claimValidationRules');
    this.#errors.push(...repeated(rules.map(({ claim }) => claim), (index) => list.index(index).child('claim')), ...repeated(rules.map(({ expression }) => expression), (index) => list.index(index).child('expression')));
    return rules.flatMap(({ claim, requiredValue, expression, message }, index) => {
      const path = list.index(index);
      if (claim !== '' && expression !== '') return this.#refuse(invalid(path, claim, bothSet));
      if (claim === '' && expression === '') return this.#refuse(required(path, 'claim or expression is required'));
      if (claim !== '') return message === '' ? [] : this.#refuse(invalid(path.child('message'), message, "message can't be set when claim is set"));
      if (requiredValue !== '') this.#errors.push(invalid(path.child('requiredValue'), requiredValue, "requiredValue can't be set when expression is set"));
      const compiled = this.#compile(expression, path.child('expression'), 'claims', 'bool');
      return compiled === undefined ? [] : [{ expression: compiled, message }];
    });
  }

  #mapping({ claim, prefix, expression }: PrefixedMapping, path: FieldPath, isRequired: boolean): Expression | undefined {
    if (claim !== '' && expression !== '') this.#errors.push(invalid(path, '', bothSet));
    else if (claim === '' && expression === '' && isRequired) this.#errors.push(required(path, 'claim or expression is required'));
    else if (expression !== '') {
      if (prefix !== undefined) this.#errors.push(invalid(path.child('prefix'), prefix, "prefix can't be set when expression is set"));
      return this.#compile(expression, path.child('expression'), 'claims', isRequired ? 'string' : 'strings');
    } else if (claim !== '' && prefix === undefined) this.#errors.push(required(path.child('prefix'), 'prefix is required when claim is set. It can be set to an empty string to disable prefixing'));
    return undefined;
  }

  #uid(path: FieldPath): Expression | undefined {
    const { claim, expression } = this.#config.claimMappings.uid;
    if (claim !== '' && expression !== '') this.#errors.push(invalid(path, '', bothSet));
    else if (expression !== '') return this.#compile(expression, path.child('expression'), 'claims', 'string');
    return undefined;
  }

  #extra(list: FieldPath): CompiledExpressions['extra'] {
    const { extra } = this.#config.claimMappings;
    this.#errors.push(...repeated(extra.map(({ key }) => key), (index) => list.index(index).child('key')));
    return extra.flatMap(({ key, valueExpression }, index) => {
      const path = list.index(index);
      if (key === '') return this.#refuse(required(path.child('key')));
      this.#errors.push(...keyErrors(key, path.child('key')));
      if (valueExpression === '') return this.#refuse(required(path.child('valueExpression'), 'valueExpression is required'));
      const value = this.#compile(valueExpression, path.child('valueExpression'), 'claims', 'strings');
      return value === undefined ? [] : [{ key, value }];
    });
  }

  #userRules(): CompiledExpressions['userRules'] {
    const rules = this.#config.userValidationRules;
    const list = this.#path.child('userValidationRules');
    this.#errors.push(...repeated(rules.map(({ expression }) => expression), (index) => list.index(index).child('expression')));
    return rules.flatMap(({ expression, message }, index) => {
      const path = list.index(index).child('expression');
      if (expression === '') return this.#refuse(required(path, 'expression is required'));
      const compiled = this.#compile(expression, path, 'user', 'bool');
      return compiled === undefined ? [] : [{ expression: compiled, message }];
    });
  }

  /** Addresses that nobody has verified are names that anybody can take. */
  #judgeEmail({ username, extra, claimRules }: CompiledExpressions): void {
    const others = [username, ...extra.map(({ value }) => value), ...claimRules.map(({ expression }) => expression)];
    if (username?.mentions('email') !== true || others.some((expression) => expression?.mentions('email_verified') === true)) return;
    this.#errors.push(invalid(this.#path.child('claimMappings', 'username', 'expression'), username.text,
      'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression'));
  }

  #compile(text: string, path: FieldPath, subject: Subject, result: Result): Expression | undefined {
    return this.#attempt(() => compileExpression(text, subject, result), (message) => invalid(path, text, message));
  }

  #attempt<T>(work: () => T, describe: (message: string) => FieldError): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#errors.push(describe((error as Error).message));
      return undefined;
    }
  }

  #refuse(error: FieldError): [] {
    this.#errors.push(error);
    return [];
  }
}

function urlErrors(text: string, path: FieldPath, disallowed: readonly string[]): FieldError[] {
  const overlap = disallowed.includes(text) ? [invalid(path, text, `URL must not overlap with disallowed issuers: [${[...disallowed].sort().join(' ')}]`)] : [];
  if (!URL.canParse(text)) return [...overlap, invalid(path, text, 'URL cannot be parsed')];
  const { protocol, username, password, search, hash } = new URL(text);
  const wrong: readonly (readonly [boolean, string])[] = [
    [protocol !== 'https:', 'URL scheme must be https'], [username !== '' || password !== '', 'URL must not contain a username or password'],
    [search !== '', 'URL must not contain a query'], [hash !== '', 'URL must not contain a fragment'],
  ];
  return [...overlap, ...wrong.filter(([is]) => is).map(([, detail]) => invalid(path, text, detail))];
}

function keyErrors(key: string, path: FieldPath): FieldError[] {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? key : key.slice(0, slash);
  if (slash < 0) return [invalid(path, key, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [
    ...(isDns1123Subdomain(domain.toLowerCase()) ? [] : [invalid(path, domain, 'must be a lowercase RFC 1123 subdomain')]),
    ...(slash === key.length - 1 || !/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(key.slice(slash + 1)) ? [invalid(path, key.slice(slash + 1), 'Invalid path')] : []),
    ...(key === key.toLowerCase() ? [] : [invalid(path, key, 'key must be lowercase')]),
    ...(/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(domain.toLowerCase()) ? [invalid(path, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use')] : []),
  ];
}
