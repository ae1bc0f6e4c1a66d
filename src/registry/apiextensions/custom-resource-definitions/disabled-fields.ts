/** Fields of definitions whose feature gates are off: they are dropped, unless the definition has some already. */
import type {
  CustomResourceDefinition,
  JSONSchemaProps,
  ValidationRule,
} from '../../../api/gen/types/apiextensions-v1.ts';
import type { StrategyContext } from '../../strategy.ts';

export function dropDisabledFields(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  { enabled }: Pick<StrategyContext, 'enabled'>,
): void {
  if (!enabled('CustomResourceFieldSelectors') && !(old !== undefined && hasSelectableFields(old)))
    for (const version of definition.spec.versions ?? []) version.selectableFields = undefined;
  if (!enabled('CRDValidationRatcheting') && !(old !== undefined && rulesWithOptionalOldSelf(old).length > 0))
    for (const rule of rulesWithOptionalOldSelf(definition)) rule.optionalOldSelf = undefined;
}

const hasSelectableFields = ({ spec }: CustomResourceDefinition): boolean =>
  (spec.versions ?? []).some(({ selectableFields = [] }) => selectableFields.length > 0);

/** Of schemas at any depth. */
function rulesWithOptionalOldSelf({ spec }: CustomResourceDefinition): ValidationRule[] {
  const found: ValidationRule[] = [];
  const left = (spec.versions ?? []).flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  for (let schema = left.pop(); schema !== undefined; schema = left.pop()) {
    const rules = schema['x-kubernetes-validations'] ?? [];
    found.push(...rules.filter(({ optionalOldSelf }) => optionalOldSelf !== undefined));
    left.push(...below(schema));
  }
  return found;
}

const below = (schema: JSONSchemaProps): JSONSchemaProps[] => [
  ...[schema.properties, schema.patternProperties, schema.definitions].flatMap((map) => Object.values(map ?? {})),
  ...[schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => list ?? []),
  ...[schema.items, schema.additionalItems, schema.additionalProperties, schema.not]
    .flat()
    .filter((each): each is JSONSchemaProps => typeof each === 'object'),
];
