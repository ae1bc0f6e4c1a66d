/** Whether rules grant everything that other rules grant, and how rules are told. */
import type { PolicyRule } from '../gen/types/rbac-v1.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { cutMark, TruncatedText, truncateQuoted } from '../../machinery/truncated-text.ts';
import { RuleIndex, Steps } from './rule-index.ts';

/**
 * How much is looked at. The rights of a rule are the product of its lists: a few kilobytes can name more than could
 * ever be looked at.
 */
const maxSteps = 1_000_000;
const maxMissing = 10_000;
/** In characters, of all rules that are told. */
const maxTotalLength = 256 * 1024;

export interface Missing {
  /** Single verbs on single resources. */
  readonly parts: readonly PolicyRule[];
  /** There may be more: the rest was not looked at. */
  readonly isCut: boolean;
}

/** What `wanted` grants and `owned` does not; no part and not cut when all is covered. */
export function missingRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): Missing {
  const steps = new Steps(maxSteps);
  const index = new RuleIndex(owned, steps);
  const parts: PolicyRule[] = [];
  for (const part of missingParts(index, wanted, steps)) {
    if (part === undefined || parts.length >= maxMissing) return { parts, isCut: true };
    parts.push(part);
  }
  return { parts, isCut: false };
}

/** Undefined is the last when there was too much to look at. */
function* missingParts(
  index: RuleIndex,
  wanted: readonly PolicyRule[],
  steps: Steps,
): Generator<PolicyRule | undefined> {
  for (const rule of wanted) {
    yield* onResources(index, rule, steps);
    yield* onPaths(index, rule, steps);
    if (steps.areUp) return yield undefined;
  }
}

function* onResources(
  index: RuleIndex,
  { apiGroups = [], resources = [], verbs = [], resourceNames = [] }: PolicyRule,
  steps: Steps,
): Generator<PolicyRule> {
  for (const group of apiGroups) {
    for (const resource of resources) {
      steps.take();
      const held = index.on(group, resource);
      if (steps.areUp) return;
      if (held.isEverything) continue;
      for (const verb of verbs) {
        steps.take(1 + resourceNames.length);
        if (steps.areUp) return;
        if (held.onAll(verb)) continue;
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) yield part;
        for (const name of resourceNames)
          if (!held.onNamed(verb, name, steps)) yield { ...part, resourceNames: [name] };
      }
    }
  }
}

function* onPaths(
  index: RuleIndex,
  { nonResourceURLs = [], verbs = [] }: PolicyRule,
  steps: Steps,
): Generator<PolicyRule> {
  for (const url of nonResourceURLs) {
    for (const verb of verbs) {
      steps.take();
      if (steps.areUp) return;
      if (!index.onPath(verb, url)) yield { nonResourceURLs: [url], verbs: [verb] };
    }
  }
}

/** A line per rule, sorted; verbs on the same resource are taken together. Ends with a mark where there are more. */
export function describeMissing({ parts, isCut }: Missing): string[] {
  const lines = new Set<string>();
  let length = 0;
  let hidden = isCut;
  for (const rule of withVerbsTogether(parts)) {
    const line = describe(rule);
    length += line.length;
    hidden ||= length > maxTotalLength;
    if (length > maxTotalLength) break;
    lines.add(line);
  }
  return [...[...lines].sort(), ...(hidden ? [cutMark] : [])];
}

function withVerbsTogether(rules: readonly PolicyRule[]): Iterable<PolicyRule> {
  const compact = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  const idOf = numbered();
  for (const [index, rule] of rules.entries()) {
    const key = simpleKey(rule, idOf) ?? `#${index}`;
    const known = compact.get(key);
    if (known === undefined) compact.set(key, { ...rule, verbs: [...(rule.verbs ?? [])] });
    else known.verbs.push(...(rule.verbs ?? []));
  }
  return compact.values();
}

/** What a rule is about if that is one thing: such rules differ in their verbs only. */
function simpleKey(
  { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule,
  idOf: (text: string) => number,
): string | undefined {
  if (apiGroups.length !== 1 || resources.length !== 1 || resourceNames.length > 1 || nonResourceURLs.length > 0)
    return undefined;
  return [...apiGroups, ...resources, ...resourceNames].map(idOf).join('/');
}

/** Numbers for texts: keys of several texts stay short. */
function numbered(): (text: string) => number {
  const ids = new Map<string, number>();
  return (text) => {
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    return id;
  };
}

function describe({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = {
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: [...new Set(verbs)],
  };
  return `{${Object.entries(parts)
    .filter(([, values]) => (values?.length ?? 0) > 0)
    .map(([name, values]) => `${name}:${quoteAll(values!)}`)
    .join(', ')}}`;
}

/** `["a" "b"]` */
export function quoteAll(values: readonly string[]): string {
  const text = new TruncatedText().add('[');
  return text
    .addAll(values, ' ', (value) => text.add(truncateQuoted(value, goQuote)))
    .add(']')
    .toString();
}
