/** How nodes are scored by what is left of their resources: the part of the arguments of NodeResourcesFit. */
import { forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import type { ScoringStrategy, ShapePoint, WeightedResource } from '../plugins/shared/resource-score.ts';
import type { ArgsDocuments, ResourceDocument, ShapePointDocument } from './document.ts';
import { defaultPluginArgs } from './plugin-args.ts';

const types = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];

export function checkRange(
  value: number,
  [min, max]: readonly [number, number],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (value < min || value > max) errors.push(invalid(path, value, `not in valid range [${min}, ${max}]`));
}

export function readStrategy(
  document: ArgsDocuments['NodeResourcesFit']['scoringStrategy'],
  path: FieldPath,
  errors: FieldErrors,
): ScoringStrategy {
  if (document === undefined) return defaultPluginArgs.NodeResourcesFit.scoringStrategy;
  const { type = 'LeastAllocated', resources, requestedToCapacityRatio: ratio } = document;
  if (!types.includes(type)) errors.push(notSupported(path.child('type'), type, types));
  const read = {
    type: type as ScoringStrategy['type'],
    resources: readResources(resources, path.child('resources'), errors),
  };
  const at = path.child('requestedToCapacityRatio');
  if (type !== 'RequestedToCapacityRatio') {
    if (ratio !== undefined) errors.push(forbidden(at, 'must be nil when type is not RequestedToCapacityRatio'));
    return read;
  }
  if (ratio === undefined) {
    errors.push(required(at, 'must be specified when type is RequestedToCapacityRatio'));
    return read;
  }
  return { ...read, shape: readPoints(ratio.shape ?? [], at.child('shape'), errors) };
}

function readResources(
  resources: readonly ResourceDocument[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): readonly WeightedResource[] {
  if (resources === undefined || resources.length === 0)
    return defaultPluginArgs.NodeResourcesFit.scoringStrategy.resources;
  return resources.map(({ name = '', weight: given = 0 }, i) => {
    const weight = given === 0 ? 1 : given;
    if (weight < 0 || weight > 100) {
      const why = `resource weight of ${name} not in valid range (0, 100]`;
      errors.push(invalid(path.index(i).child('weight'), weight, why));
    }
    return { name, weight };
  });
}

const maxUtilization = 100;
const maxScore = 10;

export function readPoints(
  points: readonly ShapePointDocument[],
  path: FieldPath,
  errors: FieldErrors,
): readonly ShapePoint[] {
  if (points.length === 0) errors.push(required(path, 'at least one point must be specified'));
  const shape = points.map(({ utilization = 0, score = 0 }) => ({ utilization, score }));
  const unsorted = shape.findIndex(({ utilization }, i) => i > 0 && shape[i - 1]!.utilization >= utilization);
  if (unsorted > 0) {
    const at = path.index(unsorted).child('utilization');
    errors.push(invalid(at, shape[unsorted]!.utilization, 'values must be sorted in increasing order'));
  }
  shape.forEach(({ utilization, score }, i) => {
    checkRange(utilization, [0, maxUtilization], path.index(i).child('utilization'), errors);
    checkRange(score, [0, maxScore], path.index(i).child('score'), errors);
  });
  return shape;
}
