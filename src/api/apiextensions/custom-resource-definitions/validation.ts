/**
 * Definitions of custom resources. @see {@link
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/ | Extend the
 * Kubernetes API with CustomResourceDefinitions}
 */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../../gen/types/apiextensions-v1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { goList, goQuote, goStrings, GoSyntax } from '../../../machinery/go-quote.ts';
import { checkEnum, checkImmutable } from '../../meta/checks.ts';
import { type NameRule, subdomainName } from '../../meta/name-rules.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../meta/object-meta.ts';
import { checkApproval } from './approval.ts';
import { checkConversion } from './conversion.ts';
import { type DefinitionRules, definitionRules, hasDefaults } from './definition-rules.ts';
import { checkLabel, checkNames, checkRequiredNames } from './names.ts';
import { checkVersionParts } from './versions.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
const maxWarningLength = 256;

export const validateDefinitionMeta = ({ metadata, spec }: CustomResourceDefinition): FieldErrors =>
  validateObjectMeta(metadata, { namespaced: false, validateName: nameOf(spec) });

export const validateDefinitionMetaUpdate = (
  { metadata }: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldErrors => validateObjectMetaUpdate(metadata, old.metadata);

/** Begins with what is wrong with the metadata. In steps, those of schemas. */
export function* validateDefinition(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  errors: FieldErrors,
  isRatcheting = true,
): Generator<void, FieldErrors> {
  const { spec } = definition;
  yield* checkSpec(spec, old?.spec, errors, definitionRules(spec, old?.spec, isRatcheting));
  if (old !== undefined) checkUnchanged(definition, old, errors);
  checkRest(definition, old, errors);
  return errors;
}

function checkUnchanged({ spec }: CustomResourceDefinition, old: CustomResourceDefinition, errors: FieldErrors): void {
  // Objects that may be there are found by their scope and written as their kind.
  if (isEstablished(old)) {
    checkImmutable(spec.scope, old.spec.scope, specPath.child('scope'), errors);
    checkImmutable(spec.names.kind, old.spec.names.kind, specPath.child('names', 'kind'), errors);
  }
  checkImmutable(spec.group, old.spec.group, specPath.child('group'), errors);
  checkImmutable(spec.names.plural, old.spec.names.plural, specPath.child('names', 'plural'), errors);
}

export function validateDefinitionStatusUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldErrors {
  const errors = validateObjectMetaUpdate(definition.metadata, old.metadata);
  checkNames(definition.status.acceptedNames, statusPath.child('acceptedNames'), errors);
  return errors;
}

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  status.conditions?.some(({ type, status: state }) => type === 'Established' && state === 'True') === true;

/** `widgets.example.com` */
const nameOf =
  ({ names, group = '' }: CustomResourceDefinitionSpec): NameRule =>
  (name, prefix) => {
    const messages = subdomainName(name, prefix);
    return name === `${names.plural ?? ''}.${group}`
      ? messages
      : [...messages, 'must be spec.names.plural+"."+spec.group'];
  };

function checkRest(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  errors: FieldErrors,
): void {
  const { spec, status } = definition;
  checkNames(status.acceptedNames, statusPath.child('acceptedNames'), errors);
  checkStoredVersions(status.storedVersions, spec.versions ?? [], statusPath.child('storedVersions'), errors);
  checkApproval(definition, old, errors);
  if (spec.preserveUnknownFields === true && old?.spec.preserveUnknownFields !== true) {
    errors.push(
      invalid(
        specPath.child('preserveUnknownFields'),
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    );
  }
}

function checkStoredVersions(
  stored: readonly string[] | undefined,
  versions: readonly CustomResourceDefinitionVersion[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (stored === undefined || stored.length === 0)
    return void errors.push(invalid(path, goStrings(stored), 'must have at least one stored version'));
  const known = new Set(stored);
  const served = new Set(versions.map(({ name }) => name));
  for (const { name = '', storage } of versions) {
    if (storage === true && !known.has(name))
      errors.push(invalid(path, goStrings(stored), `must have the storage version ${name}`));
  }
  stored.forEach((name, i) => {
    if (!served.has(name)) errors.push(invalid(path.index(i), name, 'must appear in spec.versions'));
  });
}

function* checkSpec(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
  errors: FieldErrors,
  rules: DefinitionRules,
): Generator<void, void> {
  const { group = '', scope = '', versions = [] } = spec;
  checkGroup(group, specPath.child('group'), errors);
  if (scope === '') errors.push(required(specPath.child('scope')));
  else checkEnum(scope, ['Cluster', 'Namespaced'], specPath.child('scope'), errors);
  const versionsPath = specPath.child('versions');
  checkSchemasExist(spec, versionsPath, errors, rules);
  if (spec.preserveUnknownFields === true && hasDefaults(spec))
    errors.push(
      invalid(specPath.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema'),
    );
  versions.forEach((version, i) => {
    checkLabel(version.name ?? '', versionsPath.index(i).child('name'), errors);
    checkWarning(version, versionsPath.index(i).child('deprecationWarning'), errors);
  });
  const shared = yield* checkVersionParts(versions, versionsPath, specPath, errors, rules);
  checkVersionSet(spec.versions, versionsPath, errors);
  checkRequiredNames(spec.names, specPath.child('names'), errors);
  checkNames(spec.names, specPath.child('names'), errors);
  errors.push(...shared);
  if (spec.conversion !== undefined)
    checkConversion(spec.conversion, old?.conversion, specPath.child('conversion'), errors);
}

function checkSchemasExist(
  { versions = [], preserveUnknownFields }: CustomResourceDefinitionSpec,
  path: FieldPath,
  errors: FieldErrors,
  { needsSchemas }: DefinitionRules,
): void {
  for (const [i, { schema, served }] of versions.entries()) {
    if (schema?.openAPIV3Schema !== undefined) continue;
    const at = path.index(i).child('schema', 'openAPIV3Schema');
    if (needsSchemas) errors.push(required(at, 'schemas are required'));
    else if (preserveUnknownFields !== true && served === true)
      errors.push(required(at, 'because otherwise all fields are pruned'));
  }
}

function checkGroup(group: string, path: FieldPath, errors: FieldErrors): void {
  if (group === '') return void errors.push(required(path));
  const messages = isDns1123Subdomain(group);
  if (messages.length > 0) errors.push(invalid(path, group, messages.join(',')));
  else if (!group.includes('.')) errors.push(invalid(path, group, 'should be a domain with at least one dot'));
}

function checkVersionSet(
  versions: readonly CustomResourceDefinitionVersion[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const list = versions ?? [];
  if (new Set(list.map(({ name }) => name)).size < list.length)
    errors.push(invalid(path, shownVersions(versions), 'must contain unique version names'));
  if (list.filter(({ storage }) => storage === true).length !== 1)
    errors.push(invalid(path, shownVersions(versions), 'must have exactly one version marked as storage version'));
  // The first version is known by another path as well.
  if ((list[0]?.name ?? '') !== '') checkLabel(list[0]!.name!, specPath.child('version'), errors);
}

/** As Go shows them, without schemas and other pointers: Go shows their addresses, which have no meaning. */
function shownVersions(versions: readonly CustomResourceDefinitionVersion[] | undefined): GoSyntax {
  const type = '[]apiextensions.CustomResourceDefinitionVersion';
  if (versions === undefined) return new GoSyntax(`${type}(nil)`);
  return goList(
    type,
    versions,
    ({ name = '', served = false, storage = false, deprecated = false, deprecationWarning }) =>
      `apiextensions.CustomResourceDefinitionVersion{Name:${goQuote(name)}, Served:${served}, ` +
      `Storage:${storage}, Deprecated:${deprecated}, ` +
      `DeprecationWarning:${deprecationWarning === undefined ? '(*string)(nil)' : goQuote(deprecationWarning)}, ` +
      'Schema:(*apiextensions.CustomResourceValidation)(nil), ' +
      'Subresources:(*apiextensions.CustomResourceSubresources)(nil), ' +
      'AdditionalPrinterColumns:[]apiextensions.CustomResourceColumnDefinition(nil), ' +
      'SelectableFields:[]apiextensions.SelectableField(nil)}',
  );
}

function checkWarning(
  { deprecated, deprecationWarning: text }: CustomResourceDefinitionVersion,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (text === undefined) return;
  if (deprecated !== true) errors.push(invalid(path, text, 'can only be set for deprecated versions'));
  if (text === '') errors.push(invalid(path, text, 'must not be empty'));
  if (Buffer.byteLength(text) > maxWarningLength)
    errors.push(invalid(path, text, `must be <= ${maxWarningLength} characters long`));
  if (/\p{Cc}/u.test(text)) errors.push(invalid(path, text, 'must not contain control characters'));
}
