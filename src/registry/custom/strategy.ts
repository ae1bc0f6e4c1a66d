/** What writes of custom objects mean, from their definition. */
import { validateObjectMeta, validateObjectMetaUpdate } from '../../api/meta/object-meta.ts';
import { subdomainName } from '../../api/meta/name-rules.ts';
import { type FieldError, fieldErrorText, invalid } from '../../machinery/field-error.ts';
import { FieldErrors, findsErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { asJson, type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { checkListTypes } from '../../machinery/structural/list-types.ts';
import { validateValue } from '../../machinery/structural/validate.ts';
import type { ResourceDefinition, ResourceStrategy, Strategy, StrategyContext } from '../strategy.ts';
import { isOfKind } from './codec.ts';
import { type CustomObserver, noCustomObserver } from '../../api/apiextensions/custom-observer.ts';
import { scaleErrors } from './scale.ts';
import type { ReadVersion } from './version.ts';
import { checkEmbedded } from '../../api/apiextensions/embedded-objects.ts';
import type { RuleChecker } from '../../api/apiextensions/object-rules.ts';

/** Whether what an update leaves unchanged may break rules (KEP-4008). */
const isRatcheting = ({ enabled }: StrategyContext): boolean => enabled('CRDValidationRatcheting');

/** What an update was let pass with, until its client is warned. */
const tolerated = new WeakMap<KubeObject, readonly FieldError[]>();

function* toleratedWarnings(object: KubeObject): Generator<string> {
  for (const error of tolerated.get(object) ?? []) yield fieldErrorText(error);
}

export interface CustomStrategyOptions {
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly version: ReadVersion;
  /** Absent where the schema has no rules. */
  readonly rules: RuleChecker | undefined;
  readonly observer?: CustomObserver | undefined;
}

export function createCustomDefinition(options: CustomStrategyOptions): ResourceDefinition {
  const { group, resource, version } = options;
  return {
    group,
    resource,
    strategy: mainStrategy(options),
    ...(version.hasStatus ? { status: statusStrategy(options) } : {}),
    ...(version.scale === undefined ? {} : { subresources: { scale: scaleStrategy(options) } }),
  };
}

function mainStrategy(options: CustomStrategyOptions): ResourceStrategy {
  const { version } = options;
  const { hasStatus } = version;
  return {
    allowUnconditionalUpdate: false,
    // Without an endpoint of its own the status is a part of the object like any other.
    generation: hasStatus ? true : 'withStatus',
    prepareForCreate: (object) => {
      if (hasStatus) delete asJson(object)['status'];
    },
    validate: (object) => validateNew(object, options),
    prepareForUpdate: (object, old) => {
      if (hasStatus) keepStatus(object, old);
    },
    validateUpdate: (object, old, context) => validateChanged(object, old, options, context),
    validateInTurns: rulesOf(options),
    warningsOnUpdate: toleratedWarnings,
    resetFields: hasStatus ? [['status']] : [],
  };
}

function keepStatus(object: KubeObject, old: KubeObject): void {
  const { status } = asJson(old);
  if (status === undefined) delete asJson(object)['status'];
  else asJson(object)['status'] = status;
}

/** The status endpoint writes nothing else: all other members, and the metadata but for its managed fields, stay. */
function statusStrategy(options: CustomStrategyOptions): Strategy {
  return {
    prepareForUpdate: (object, old) => {
      const value = asJson(object);
      const { status } = value;
      const { managedFields } = metaOf(object);
      for (const member of Object.keys(value)) delete value[member];
      Object.assign(value, asJson(old), {
        metadata: { ...metaOf(old), ...(managedFields === undefined ? {} : { managedFields }) },
      });
      if (managedFields === undefined) delete metaOf(object).managedFields;
      if (status === undefined) delete value['status'];
      else value['status'] = status;
    },
    validateUpdate: (object, old, context) => validateChanged(object, old, options, context),
    validateInTurns: rulesOf(options),
    warningsOnUpdate: toleratedWarnings,
    resetFields: [['spec']],
  };
}

const scaleStrategy = (options: CustomStrategyOptions): Strategy => ({
  validateUpdate: (object, old, context) => validateChanged(object, old, options, context),
  validateInTurns: rulesOf(options),
  prepareForUpdate: (object, old) => keepStatus(object, old),
});

function validateNew(object: KubeObject, options: CustomStrategyOptions): FieldErrors {
  const { version, namespaced } = options;
  const errors = identityErrors(object, version);
  if (errors.length === 0) {
    errors.push(...validateObjectMeta(object.metadata ?? {}, { namespaced, validateName: subdomainName }));
    errors.push(...validateValue(asJson(object), version.schema), ...scaleErrors(object, version.scale));
  }
  checkEmbedded(asJson(object), version.structural, FieldPath.root, errors);
  checkListTypes(asJson(object), version.structural, FieldPath.root, errors);
  return errors;
}

function validateChanged(
  object: KubeObject,
  old: KubeObject,
  { version, observer = noCustomObserver }: CustomStrategyOptions,
  context: StrategyContext,
): FieldErrors {
  const errors = identityErrors(object, version);
  if (errors.length === 0) {
    errors.push(...validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}));
    const before = isRatcheting(context) ? withoutMetadata(old) : undefined;
    const compared = (milliseconds: number): void => {
      if (before !== undefined) observer.compared(milliseconds / 1000);
    };
    errors.push(
      ...validateValue(withoutMetadata(object), version.schema, before, compared),
      ...scaleErrors(object, version.scale),
    );
  }
  checkEmbedded(asJson(object), version.structural, FieldPath.root, errors);
  // An object that had a duplicate item before may keep it.
  const hadRepetitions = findsErrors((found) => checkListTypes(asJson(old), version.structural, FieldPath.root, found));
  if (!hadRepetitions) checkListTypes(asJson(object), version.structural, FieldPath.root, errors);
  return errors;
}

/** Metadata has its own rules, and its bookkeeping is different every time. */
const withoutMetadata = (object: KubeObject): ReturnType<typeof asJson> => ({
  ...asJson(object),
  metadata: {
    name: object.metadata?.name ?? '',
    ...(object.metadata?.generateName === undefined ? {} : { generateName: object.metadata.generateName }),
  },
});

function identityErrors(object: KubeObject, version: ReadVersion): FieldErrors {
  const { apiVersion = '', kind = '' } = object;
  const errors = new FieldErrors();
  if (!isOfKind(asJson(object), version)) errors.push(invalid(FieldPath.of('kind'), kind, `must be ${version.kind}`));
  if (apiVersion !== version.apiVersion)
    errors.push(invalid(FieldPath.of('apiVersion'), apiVersion, `must be ${version.apiVersion}`));
  return errors;
}

/** Errors after which rules would report the same mistake again. */
const blocking: ReadonlySet<FieldError['type']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const rulesOf = ({ rules }: CustomStrategyOptions): Strategy['validateInTurns'] =>
  rules === undefined ? undefined : (object, old, errors, context) => withRules(errors, rules, context, object, old);

function* withRules(
  errors: FieldErrors,
  rules: RuleChecker,
  context: StrategyContext,
  object: KubeObject,
  old: KubeObject | undefined,
): Generator<void, FieldErrors> {
  if (!errors.some(({ type }) => blocking.has(type))) {
    const findings = yield* rules(object, old);
    if (!isRatcheting(context)) return FieldErrors.joined(errors, [...findings.errors, ...findings.tolerated]);
    tolerated.set(object, findings.tolerated);
    return FieldErrors.joined(errors, findings.errors);
  }
  return FieldErrors.joined(errors, [
    invalid(
      FieldPath.root,
      undefined,
      'some validation rules were not checked because the object was invalid; correct the existing errors to ' +
        'complete validation',
    ),
  ]);
}
