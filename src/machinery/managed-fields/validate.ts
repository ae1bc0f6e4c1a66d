/**
 * Checks an applied configuration against its type, with upstream's messages: an unknown field, a value of the wrong
 * kind, list items without key or with the same one.
 */
import { goSyntax, goTypeName, goValue } from '../go-format.ts';
import { memberOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { memberType, type ListType, type MapType, type MergeType, type ScalarKind } from './merge-type.ts';
import { fieldElement, indexElement, type PathElement } from './path-element.ts';
import { itemElement, kindOf, memberNames, TypeMismatch } from './typed-value.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** @throws TypeMismatch with every problem found. */
export function validateConfiguration(type: MergeType, value: JsonValue): void {
  const problems = check(type, value).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (problems.length === 1) throw new TypeMismatch(problems[0]);
  if (problems.length > 1) throw new TypeMismatch(['errors:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
}

function check(type: MergeType, value: JsonValue): Problem[] {
  if (value === null) return [];
  switch (kindOf(type, value)) {
    case 'scalar': return checkScalar(type.scalar!, value);
    case 'map': return isObject(value) ? checkMembers(type.map!, value) : problem(`expected map, got &{${goValue(value)}}`);
    case 'list': return Array.isArray(value) ? checkItems(type.list!, value) : problem(`expected list, got &{${goValue(value)}}`);
  }
}

const problem = (message: string): Problem[] => [{ path: '', message }];

function checkScalar(kind: ScalarKind, value: JsonValue): Problem[] {
  const actual = typeof value;
  switch (kind) {
    case 'numeric': return actual === 'number' || actual === 'bigint' ? [] : problem(`expected numeric (int or float), got ${goTypeName(value)}`);
    case 'string': return actual === 'string' ? [] : problem(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
    case 'boolean': return actual === 'boolean' ? [] : problem(`expected boolean, got &{${goValue(value)}}`);
    case 'untyped': return actual === 'object' ? problem(`expected any scalar, got &{${goValue(value)}}`) : [];
  }
}

/** Stops at a member the type does not have. */
function checkMembers(map: MapType, object: JsonObject): Problem[] {
  const problems: Problem[] = [];
  for (const name of memberNames(object)) {
    const type = memberType(map, name);
    if (type === undefined) {
      problems.push({ path: `.${name}`, message: 'field not declared in schema' });
      break;
    }
    checkBelow(fieldElement(name), type, memberOf(object, name)!, problems);
  }
  return problems;
}

/** Stops at an item that cannot be identified. */
function checkItems(list: ListType, items: readonly JsonValue[]): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const element = list.associative ? elementOrReason(list, item) : indexElement(index);
    if (typeof element === 'string') {
      problems.push({ path: '', message: `element ${index}: ${element}` });
      break;
    }
    if (seen.has(element.text)) problems.push({ path: '', message: `duplicate entries for key ${element}` });
    seen.add(element.text);
    checkBelow(element, list.element, item, problems);
  }
  return problems;
}

function checkBelow(element: PathElement, type: MergeType, value: JsonValue, problems: Problem[]): void {
  for (const { path, message } of check(type, value)) problems.push({ path: `${element}${path}`, message });
}

function elementOrReason(list: ListType, item: JsonValue): PathElement | string {
  try {
    return itemElement(list, item, 'json');
  } catch (error) {
    if (error instanceof TypeMismatch) return error.message;
    throw error;
  }
}
