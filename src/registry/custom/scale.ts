/** The scale subresource of custom objects: replicas and selector at the paths that the definition names. */
import { invalid } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { goTypeName, goValue } from '../../machinery/go-format.ts';
import { jsonTypeOf } from '../../machinery/json-type.ts';
import { memberOf } from '../../machinery/members.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import { internalError } from '../../machinery/status.ts';
import { createMap, isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import type { ScaleFields } from '../generic/scale-values.ts';
import { membersOf, type ScalePaths } from './version.ts';

const maxReplicas = 2 ** 31 - 1;

/** What is at a path, or that the way there does not lead over objects. */
function valueAt(object: KubeObject, path: string): { readonly value?: JsonValue; readonly error?: string } {
  let value: JsonValue | undefined = asJson(object);
  const names = membersOf(path);
  for (const [i, name] of names.entries()) {
    if (!isObject(value))
      return {
        error:
          `${shown(names.slice(0, i + 1))} accessor error: ${described(value)} is of the ` +
          `type ${goTypeName(value)}, expected map[string]interface{}`,
      };
    value = memberOf(value, name);
    if (value === undefined) return {};
  }
  return { value };
}

const shown = (names: readonly string[]): string => `.${names.join('.')}`;
const described = (value: JsonValue | undefined): string => goValue(value);

function typedAt(
  object: KubeObject,
  path: string,
  isRight: (value: JsonValue) => boolean,
  type: string,
): { readonly value?: JsonValue; readonly error?: string } {
  const found = valueAt(object, path);
  if (found.value === undefined || isRight(found.value)) return found;
  return {
    error:
      `${shown(membersOf(path))} accessor error: ${described(found.value)} is of the ` +
      `type ${goTypeName(found.value)}, expected ${type}`,
  };
}

const isInteger = (value: JsonValue): boolean => jsonTypeOf(value) === 'integer';

/** Values that a Scale could not show. */
export function scaleErrors(object: KubeObject, scale: ScalePaths | undefined): FieldErrors {
  const errors = new FieldErrors();
  if (scale === undefined) return errors;
  for (const path of [scale.specReplicas, scale.statusReplicas]) {
    const { value, error } = typedAt(object, path, isInteger, 'int64');
    const at = FieldPath.of(path);
    if (error !== undefined) errors.push(invalid(at, 0, error));
    else if (value !== undefined && Number(value) < 0)
      errors.push(invalid(at, Number(value), 'should be a non-negative integer'));
    else if (value !== undefined && Number(value) > maxReplicas)
      errors.push(invalid(at, Number(value), `should be less than or equal to ${maxReplicas}`));
  }
  if (scale.selector === '') return errors;
  const { error } = typedAt(object, scale.selector, (value) => typeof value === 'string', 'string');
  if (error !== undefined) errors.push(invalid(FieldPath.of(scale.selector), '', error));
  return errors;
}

export const customScaleFields = (scale: ScalePaths): ScaleFields => ({
  isJudgedAsObject: true,
  selectorText: (object) => {
    const { value } = scale.selector === '' ? {} : valueAt(object, scale.selector);
    return typeof value === 'string' ? value : '';
  },
  specReplicas: (object) => {
    const { value, error } = typedAt(object, scale.specReplicas, isInteger, 'int64');
    if (error !== undefined) throw internalError(error);
    return value === undefined ? undefined : Number(value);
  },
  statusReplicas: (object) => Number(typedAt(object, scale.statusReplicas, isInteger, 'int64').value ?? 0),
  setReplicas: (object, replicas) => setAt(asJson(object), membersOf(scale.specReplicas), replicas),
  // An object can be read without its replicas, but its Scale would say that there are none.
  missingReplicas: () => internalError(`the spec replicas field ${JSON.stringify(scale.specReplicas)} does not exist`),
});

function setAt(object: JsonObject, [name, ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) return void (object[name!] = value);
  const next = memberOf(object, name!);
  const inner = isObject(next) ? next : createMap<JsonValue | undefined>();
  object[name!] = inner;
  setAt(inner, rest, value);
}
