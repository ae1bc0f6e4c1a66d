/**
 * Checks an applied configuration against its type, with upstream's messages: an unknown field, a value of the wrong
 * kind, list items without key or with the same one.
 */
import { maxFieldErrors } from '../field-errors.ts';
import { goSyntax, goTypeName, goValue } from '../go-format.ts';
import { memberOf } from '../members.ts';
import { truncateText } from '../truncated-text.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { memberType, type ListType, type MapType, type MergeType, type ScalarKind } from './merge-type.ts';
import { indexElement, memberElement, type PathElement } from './path-element.ts';
import { itemElement, kindOf, memberNames, TypeMismatch } from './typed-value.ts';

/** @throws TypeMismatch with the problems found. */
export function validateConfiguration(type: MergeType, value: JsonValue): void {
  const problems = new Problems();
  try {
    check(type, value, problems);
  } catch (error) {
    if (error !== enough) throw error;
  }
  const { texts } = problems;
  if (texts.length === 1) throw new TypeMismatch(texts[0]);
  if (texts.length > 1) throw new TypeMismatch(['errors:', ...texts.map((text) => `  ${text}`)].join('\n'));
}

const enough = new Error('enough problems were found');

/** Problems with the place where they are; the check ends when there are too many. */
class Problems {
  readonly texts: string[] = [];
  readonly #path: PathElement[] = [];

  add(message: string, path: string = this.#path.join('')): void {
    this.texts.push(truncateText(path === '' ? message : `${path}: ${message}`));
    if (this.texts.length < maxFieldErrors) return;
    this.texts.push('and at least 1 more error');
    throw enough;
  }

  below(element: PathElement, run: () => void): void {
    this.#path.push(element);
    run();
    this.#path.pop();
  }

  at(name: string): string {
    return `${this.#path.join('')}.${name}`;
  }
}

function check(type: MergeType, value: JsonValue, problems: Problems): void {
  if (value === null) return;
  switch (kindOf(type, value)) {
    case 'scalar':
      return checkScalar(type.scalar!, value, problems);
    case 'map':
      return isObject(value)
        ? checkMembers(type.map!, value, problems)
        : problems.add(`expected map, got &{${goValue(value)}}`);
    case 'list':
      return Array.isArray(value)
        ? checkItems(type.list!, value, problems)
        : problems.add(`expected list, got &{${goValue(value)}}`);
  }
}

function checkScalar(kind: ScalarKind, value: JsonValue, problems: Problems): void {
  const actual = typeof value;
  switch (kind) {
    case 'numeric':
      return actual === 'number' || actual === 'bigint'
        ? undefined
        : problems.add(`expected numeric (int or float), got ${goTypeName(value)}`);
    case 'string':
      return actual === 'string'
        ? undefined
        : problems.add(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
    case 'boolean':
      return actual === 'boolean' ? undefined : problems.add(`expected boolean, got &{${goValue(value)}}`);
    case 'untyped':
      return actual === 'object' ? problems.add(`expected any scalar, got &{${goValue(value)}}`) : undefined;
  }
}

/** Stops at a member the type does not have. */
function checkMembers(map: MapType, object: JsonObject, problems: Problems): void {
  const names = memberNames(object);
  for (const name of names) {
    const type = memberType(map, name);
    if (type === undefined) return problems.add('field not declared in schema', problems.at(name));
    problems.below(memberElement(name, names.length), () => check(type, memberOf(object, name)!, problems));
  }
}

/** Stops at an item that cannot be identified. */
function checkItems(list: ListType, items: readonly JsonValue[], problems: Problems): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const element = list.associative ? elementOrReason(list, item, items.length) : indexElement(index);
    if (typeof element === 'string') return problems.add(`element ${index}: ${element}`);
    if (seen.has(element.text)) problems.add(`duplicate entries for key ${element}`);
    seen.add(element.text);
    problems.below(element, () => check(list.element, item, problems));
  }
}

function elementOrReason(list: ListType, item: JsonValue, length: number): PathElement | string {
  try {
    return itemElement(list, item, 'json', length);
  } catch (error) {
    if (error instanceof TypeMismatch) return error.message;
    throw error;
  }
}
