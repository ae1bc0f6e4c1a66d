/** Index attributes of objects that are stored as JSON: what `codec/scan.ts` does for protobuf. */
import { type AttributesScanner, selectablePaths, type NamedPaths } from '../codec/attributes-scanner.ts';
import { mapOfPairs, RecordKeys, RecordMap } from '../small-map.ts';
import { eachMember, readText, skipSpace } from './walk.ts';

/** A member on the way to wanted values. */
interface Step {
  readonly children: Map<string, Step>;
  /** Places in the list of values that it fills. */
  readonly targets: number[];
}

/**
 * @param fields paths of texts, numbers and booleans such as `spec.color`. What is not there, or is no scalar, gives
 *   ''.
 */
export function createJsonAttributesScanner(fields: readonly (string | NamedPaths)[] = []): AttributesScanner {
  const named = selectablePaths(fields);
  const root: Step = { children: new Map(), targets: [] };
  let count = 0;
  const want = (path: string): number => {
    stepTo(root, path).targets.push(count);
    return count++;
  };
  const [name, namespace] = [want('metadata.name'), want('metadata.namespace')];
  const places = named.map(({ paths }) => paths.map(want));
  const keys = new RecordKeys(named.map((field) => field.name));
  return (bytes) => {
    const values = new Array<string>(count).fill('');
    const labels: string[] = [];
    scanObject(bytes, skipSpace(bytes, 0), root, values, labels, 0);
    const found = places.map((indexes) => indexes.map((index) => values[index]!).find((value) => value !== '') ?? '');
    return {
      name: values[name]!,
      namespace: values[namespace]!,
      labels: mapOfPairs(labels),
      fields: found.length === 0 ? mapOfPairs([]) : new RecordMap(keys, found),
    };
  };
}

function stepTo(root: Step, path: string): Step {
  let step = root;
  for (const name of path.split('.')) {
    let next = step.children.get(name);
    if (next === undefined) step.children.set(name, (next = { children: new Map(), targets: [] }));
    step = next;
  }
  return step;
}

function scanObject(b: Buffer, p: number, step: Step, values: string[], labels: string[], depth: number): void {
  eachMember(b, p, ({ keyStart, keyEnd, valueStart, valueEnd }) => {
    const key = readText(b, keyStart, keyEnd);
    const isObject = b[valueStart] === 0x7b;
    if (isObject && depth === 1 && key === 'labels' && isMetadata(step)) readLabels(b, valueStart, labels);
    const next = step.children.get(key);
    if (next === undefined) return;
    if (isObject) scanObject(b, valueStart, next, values, labels, depth + 1);
    else if (next.targets.length > 0) setValues(next.targets, scalarText(b, valueStart, valueEnd), values);
  });
}

/** The step of `metadata` is the one on whose way `name` and `namespace` lie at the top. */
const isMetadata = (step: Step): boolean => step.children.get('name')?.targets[0] === 0;

function setValues(targets: readonly number[], text: string, values: string[]): void {
  for (const target of targets) values[target] = text;
}

function readLabels(b: Buffer, p: number, labels: string[]): void {
  eachMember(b, p, ({ keyStart, keyEnd, valueStart, valueEnd }) => {
    if (b[valueStart] === 0x22) labels.push(readText(b, keyStart, keyEnd), readText(b, valueStart, valueEnd));
  });
}

function scalarText(b: Buffer, p: number, q: number): string {
  if (b[p] === 0x22) return readText(b, p, q);
  const text = b.latin1Slice(p, q);
  return text === 'null' || text.startsWith('[') ? '' : text;
}
