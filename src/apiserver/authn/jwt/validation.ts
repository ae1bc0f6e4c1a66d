/** What an AuthenticationConfiguration must be like, in the reference's words; and its expressions, compiled. */
import { duplicate, type FieldError, invalid, omitted, required, tooMany } from '../../../machinery/field-error.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { readCertificates } from '../../../auth/authentication/certificate-chain.ts';
import type { AuthenticationConfiguration, JwtAuthenticatorConfig, PrefixedMapping } from './configuration.ts';
import { compileExpression, type Expression, type Result, type Subject } from './expressions.ts';

type ClaimRule = JwtAuthenticatorConfig['claimValidationRules'][number];

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

/**
 * A step for each expression.
 *
 * @param disallowedIssuers those of service accounts: their tokens are not for others to judge
 */
export function* validateAuthenticationConfiguration(
  { jwt, anonymous }: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
): Generator<void, Judged> {
  const root = FieldPath.of('jwt');
  if (jwt.length > maxAuthenticators) return { errors: [tooMany(root, jwt.length, maxAuthenticators)], compiled: [] };
  const errors: FieldError[] = [];
  const compiled: CompiledExpressions[] = [];
  for (const [index, authenticator] of jwt.entries())
    compiled.push(yield* new Judge(authenticator, root.index(index), errors).judge(disallowedIssuers));
  errors.push(
    ...repeated(
      jwt.map(({ issuer }) => issuer.url),
      (index) => root.index(index).child('issuer', 'url'),
    ),
    ...repeated(
      jwt.map(({ issuer }) => issuer.discoveryURL),
      (index) => root.index(index).child('issuer', 'discoveryURL'),
    ),
  );
  if (anonymous !== undefined && !anonymous.enabled && anonymous.conditions.length > 0) {
    errors.push(
      invalid(
        FieldPath.of('anonymous', 'conditions'),
        JSON.stringify(anonymous.conditions),
        'enabled should be set to true when conditions are defined',
      ),
    );
  }
  return { errors, compiled };
}

function repeated(values: readonly string[], pathOf: (index: number) => FieldPath): FieldError[] {
  return values.flatMap((value, index) =>
    value !== '' && values.indexOf(value) < index ? [duplicate(pathOf(index), value)] : [],
  );
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

  *judge(disallowedIssuers: readonly string[]): Generator<void, CompiledExpressions> {
    this.#judgeIssuer(disallowedIssuers);
    const claimRules = yield* this.#claimRules();
    const { username, groups } = this.#config.claimMappings;
    const mappings = this.#path.child('claimMappings');
    const compiled = {
      claimRules,
      username: yield* this.#mapping(username, mappings.child('username'), true),
      groups: yield* this.#mapping(groups, mappings.child('groups'), false),
      uid: yield* this.#uid(mappings.child('uid')),
      extra: yield* this.#extra(mappings.child('extra')),
      userRules: yield* this.#userRules(),
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
      if (url !== '' && url.replace(/\/+$/, '') === discoveryURL.replace(/\/+$/, ''))
        this.#errors.push(invalid(path.child('discoveryURL'), discoveryURL, 'discoveryURL must be different from URL'));
      this.#errors.push(...urlErrors(discoveryURL, path.child('discoveryURL'), []));
    }
    this.#judgeAudiences(path);
    if (certificateAuthority !== '')
      this.#attempt(
        () => readCertificates(certificateAuthority),
        (message) => invalid(path.child('certificateAuthority'), omitted, message),
      );
  }

  #judgeAudiences(path: FieldPath): void {
    const { audiences, audienceMatchPolicy: policy } = this.#config.issuer;
    const list = path.child('audiences');
    if (audiences.length === 0) {
      this.#errors.push(required(list, `at least one ${list.toString()} is required`));
      return;
    }
    this.#errors.push(
      ...audiences.flatMap((audience, index) =>
        audience === '' ? [required(list.index(index), 'audience is required')] : [],
      ),
      ...repeated(audiences, (index) => list.index(index)),
    );
    if (audiences.length > 1 && policy !== 'MatchAny')
      this.#errors.push(
        invalid(
          path.child('audienceMatchPolicy'),
          policy,
          'audienceMatchPolicy must be MatchAny for multiple audiences',
        ),
      );
    if (audiences.length === 1 && policy !== '' && policy !== 'MatchAny')
      this.#errors.push(
        invalid(
          path.child('audienceMatchPolicy'),
          policy,
          'audienceMatchPolicy must be empty or MatchAny for single audience',
        ),
      );
  }

  *#claimRules(): Generator<void, CompiledExpressions['claimRules']> {
    const rules = this.#config.claimValidationRules;
    const list = this.#path.child('claimValidationRules');
    this.#errors.push(
      ...repeated(
        rules.map(({ claim }) => claim),
        (index) => list.index(index).child('claim'),
      ),
      ...repeated(
        rules.map(({ expression }) => expression),
        (index) => list.index(index).child('expression'),
      ),
    );
    const compiled: CompiledExpressions['claimRules'][number][] = [];
    for (const [index, rule] of rules.entries()) {
      if (!this.#isOfExpression(rule, list.index(index))) continue;
      const expression = yield* this.#compile(rule.expression, list.index(index).child('expression'), 'claims', 'bool');
      if (expression !== undefined) compiled.push({ expression, message: rule.message });
    }
    return compiled;
  }

  /** Whether there is an expression to compile, and no claim beside it. */
  #isOfExpression({ claim, requiredValue, expression, message }: ClaimRule, path: FieldPath): boolean {
    if (claim !== '' && expression !== '') this.#errors.push(invalid(path, claim, bothSet));
    else if (claim === '' && expression === '') this.#errors.push(required(path, 'claim or expression is required'));
    else if (claim !== '' && message !== '')
      this.#errors.push(invalid(path.child('message'), message, "message can't be set when claim is set"));
    else if (claim === '' && requiredValue !== '')
      this.#errors.push(
        invalid(path.child('requiredValue'), requiredValue, "requiredValue can't be set when expression is set"),
      );
    return claim === '' && expression !== '';
  }

  *#mapping(
    { claim, prefix, expression }: PrefixedMapping,
    path: FieldPath,
    isRequired: boolean,
  ): Generator<void, Expression | undefined> {
    if (claim !== '' && expression !== '') this.#errors.push(invalid(path, '', bothSet));
    else if (claim === '' && expression === '' && isRequired)
      this.#errors.push(required(path, 'claim or expression is required'));
    else if (expression !== '') {
      if (prefix !== undefined)
        this.#errors.push(invalid(path.child('prefix'), prefix, "prefix can't be set when expression is set"));
      return yield* this.#compile(expression, path.child('expression'), 'claims', isRequired ? 'string' : 'strings');
    } else if (claim !== '' && prefix === undefined)
      this.#errors.push(
        required(
          path.child('prefix'),
          'prefix is required when claim is set. It can be set to an empty string to disable prefixing',
        ),
      );
    return undefined;
  }

  *#uid(path: FieldPath): Generator<void, Expression | undefined> {
    const { claim, expression } = this.#config.claimMappings.uid;
    if (claim !== '' && expression !== '') this.#errors.push(invalid(path, '', bothSet));
    else if (expression !== '') return yield* this.#compile(expression, path.child('expression'), 'claims', 'string');
    return undefined;
  }

  *#extra(list: FieldPath): Generator<void, CompiledExpressions['extra']> {
    const { extra } = this.#config.claimMappings;
    this.#errors.push(
      ...repeated(
        extra.map(({ key }) => key),
        (index) => list.index(index).child('key'),
      ),
    );
    const compiled: CompiledExpressions['extra'][number][] = [];
    for (const [index, { key, valueExpression }] of extra.entries()) {
      const path = list.index(index);
      this.#errors.push(...(key === '' ? [required(path.child('key'))] : keyErrors(key, path.child('key'))));
      if (key === '') continue;
      if (valueExpression === '')
        this.#errors.push(required(path.child('valueExpression'), 'valueExpression is required'));
      else {
        const value = yield* this.#compile(valueExpression, path.child('valueExpression'), 'claims', 'strings');
        if (value !== undefined) compiled.push({ key, value });
      }
    }
    return compiled;
  }

  *#userRules(): Generator<void, CompiledExpressions['userRules']> {
    const rules = this.#config.userValidationRules;
    const list = this.#path.child('userValidationRules');
    this.#errors.push(
      ...repeated(
        rules.map(({ expression }) => expression),
        (index) => list.index(index).child('expression'),
      ),
    );
    const compiled: CompiledExpressions['userRules'][number][] = [];
    for (const [index, { expression: text, message }] of rules.entries()) {
      const path = list.index(index).child('expression');
      if (text === '') this.#errors.push(required(path, 'expression is required'));
      else {
        const expression = yield* this.#compile(text, path, 'user', 'bool');
        if (expression !== undefined) compiled.push({ expression, message });
      }
    }
    return compiled;
  }

  /** An email address that is not verified is a name that any user can claim. */
  #judgeEmail({ username, extra, claimRules }: CompiledExpressions): void {
    const others = [username, ...extra.map(({ value }) => value), ...claimRules.map(({ expression }) => expression)];
    if (
      username?.mentions('email') !== true ||
      others.some((expression) => expression?.mentions('email_verified') === true)
    )
      return;
    this.#errors.push(
      invalid(
        this.#path.child('claimMappings', 'username', 'expression'),
        username.text,
        'claims.email_verified must be used in claimMappings.username.expression or ' +
          'claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is ' +
          'used in claimMappings.username.expression',
      ),
    );
  }

  *#compile(text: string, path: FieldPath, subject: Subject, result: Result): Generator<void, Expression | undefined> {
    try {
      const compiled = yield* compileExpression(text, subject, result);
      yield;
      return compiled;
    } catch (error) {
      this.#errors.push(invalid(path, text, (error as Error).message));
      return undefined;
    }
  }

  #attempt<T>(work: () => T, describe: (message: string) => FieldError): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#errors.push(describe((error as Error).message));
      return undefined;
    }
  }
}

function urlErrors(text: string, path: FieldPath, disallowed: readonly string[]): FieldError[] {
  const overlap = disallowed.includes(text)
    ? [invalid(path, text, `URL must not overlap with disallowed issuers: [${[...disallowed].sort().join(' ')}]`)]
    : [];
  if (!URL.canParse(text)) return [...overlap, invalid(path, text, 'URL cannot be parsed')];
  const { protocol, username, password, search, hash } = new URL(text);
  const wrong: readonly (readonly [boolean, string])[] = [
    [protocol !== 'https:', 'URL scheme must be https'],
    [username !== '' || password !== '', 'URL must not contain a username or password'],
    [search !== '', 'URL must not contain a query'],
    [hash !== '', 'URL must not contain a fragment'],
  ];
  return [...overlap, ...wrong.filter(([is]) => is).map(([, detail]) => invalid(path, text, detail))];
}

function keyErrors(key: string, path: FieldPath): FieldError[] {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? key : key.slice(0, slash);
  if (slash < 0) return [invalid(path, key, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [
    ...(isDns1123Subdomain(domain.toLowerCase())
      ? []
      : [invalid(path, domain, 'must be a lowercase RFC 1123 subdomain')]),
    ...(slash === key.length - 1 || !/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(key.slice(slash + 1))
      ? [invalid(path, key.slice(slash + 1), 'Invalid path')]
      : []),
    ...(key === key.toLowerCase() ? [] : [invalid(path, key, 'key must be lowercase')]),
    ...(/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(domain.toLowerCase())
      ? [invalid(path, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use')]
      : []),
  ];
}
