/**
 * Ownership recorded under an older schema: where a list or map has become atomic, a manager that owned a part of it
 * owns the whole, and nothing below.
 */
import { FieldSet, type FieldNode } from './field-set.ts';
import { deduced, memberType, type MapType, type MergeType } from './merge-type.ts';

/** The set as the type has it now; mostly the set itself. Remembered: the same sets come back with every write. */
export function reconcileWithType(type: MergeType, set: FieldSet): FieldSet {
  const { notes } = set;
  if (notes.reconciledWith !== type) {
    notes.reconciled = below(type, set);
    notes.reconciledWith = type;
  }
  return notes.reconciled!;
}

function below(type: MergeType, set: FieldSet): FieldSet {
  let changed = false;
  const nodes = set.nodes.map((node) => {
    const reconciled = reconcileNode(childType(type, node), node);
    if (reconciled !== node) changed = true;
    return reconciled;
  });
  return changed ? new FieldSet(nodes) : set;
}

function childType(type: MergeType, { element }: FieldNode): MergeType | undefined {
  if (type.map === undefined) return type.scalar === undefined ? type.list?.element : undefined;
  return element.kind === 'field' ? memberType(type.map, element.name) : type.map.element;
}

function reconcileNode(type: MergeType | undefined, node: FieldNode): FieldNode {
  if (type === undefined || node.children === undefined) return node;
  const { map, scalar, list } = type;
  const isScalar = map === undefined && scalar !== undefined;
  if (isScalar || (map !== undefined && isDeduced(map))) return node;
  if (map?.atomic ?? !list!.associative) return { element: node.element, member: true, children: undefined };
  const children = below(type, node.children);
  return children === node.children ? node : { ...node, children };
}

/** Objects without a schema cannot have become atomic. */
const isDeduced = (map: MapType): boolean =>
  map.fields.size === 0 &&
  !map.atomic &&
  (map.element === deduced || (map.element?.scalar === 'untyped' && map.element.map === undefined));
