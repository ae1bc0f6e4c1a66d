/** Every list, map and text that objects of a type can have, from the schema. */
import type { Element, Member } from '../../src/machinery/codec/plan.ts';
import { Plans } from '../../src/machinery/codec/plan.ts';
import type { SchemaRegistry } from '../../src/machinery/schema.ts';

export interface Step {
  readonly json: string;
  readonly shape: 'single' | 'list' | 'map';
  readonly element: Element;
}

export interface Place {
  /** From the object down; the last step is the list, the map or the text. */
  readonly path: readonly Step[];
  /** Type and field that the schema declares it in, which many kinds can share: `core/v1.PodSpec.containers`. */
  readonly declaredAt: string;
  readonly what: 'list' | 'map' | 'text';
}

/** `spec.template.spec.containers[].args[]` */
export const placeText = ({ path }: Place): string =>
  path.map(({ json, shape }) => json + (shape === 'list' ? '[]' : shape === 'map' ? '{}' : '')).join('.');

/** Forms whose JSON is a text of any length. */
const textForms: ReadonlySet<string> = new Set([
  'string',
  'bytes',
  'quantity',
  'intOrString',
  'time',
  'microtime',
  'duration',
]);

/** A type that contains itself is entered so often. */
const maxNesting = 2;

export class Places {
  readonly #plans: Plans;

  constructor(schemas: SchemaRegistry) {
    this.#plans = new Plans(schemas);
  }

  /** In the order of declaration. Each field of each type once, where it is nearest to the object. */
  of(typeId: string): Place[] {
    const places = new Map<string, Place>();
    const waiting: { readonly type: string; readonly path: readonly Step[]; readonly inside: readonly string[] }[] = [
      { type: typeId, path: [], inside: [] },
    ];
    for (const { type, path, inside } of waiting) {
      for (const { member, owner } of this.#members(type)) {
        const step: Step = { json: member.json, shape: member.shape as Step['shape'], element: member.element };
        const at = [...path, step];
        const declaredAt = `${owner}.${member.json}`;
        const what = whatIs(member);
        if (what !== undefined && !places.has(declaredAt)) places.set(declaredAt, { path: at, declaredAt, what });
        const next = structOf(member.element);
        if (
          next !== undefined &&
          inside.filter((id) => id === next).length < maxNesting - 1 &&
          !waiting.some((known) => known.type === next)
        ) {
          waiting.push({ type: next, path: at, inside: [...inside, type] });
        }
      }
    }
    return [...places.values()];
  }

  #members(type: string): { readonly member: Member; readonly owner: string }[] {
    return this.#plans
      .of(type)
      .members.flatMap((member) =>
        member.shape === 'inline' ? this.#members(structOf(member.element)!) : [{ member, owner: type }],
      );
  }
}

const structOf = (element: Element): string | undefined =>
  element.fieldType === 'struct' ? element.type : 'schema' in element ? element.schema : undefined;

function whatIs({ shape, element }: Member): Place['what'] | undefined {
  if (shape === 'list' || shape === 'map') return shape;
  return textForms.has(element.fieldType) ? 'text' : element.fieldType === 'texts' ? 'list' : undefined;
}
