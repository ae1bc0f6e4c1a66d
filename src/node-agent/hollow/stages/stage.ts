/** A stage that is ready to be used, and the choice among those that match. */
import type { JsonObject } from '../../../machinery/value.ts';
import { compileDelay, type DelayOf } from './delay.ts';
import {
  type ContainerChange,
  type ExpressionSource,
  type NodeChange,
  orchVersion,
  type StageDocument,
  type StageEvent,
  type StageFinalizers,
  type StageSpec,
} from './document.ts';
import { compileSelector, compileSource, type Matcher } from './expressions.ts';
import { compileTemplate, type Template } from './template/compile.ts';

/** What is done when a stage is applied, in order. */
export type Step =
  | { readonly kind: 'event'; readonly event: StageEvent }
  | { readonly kind: 'finalizers'; readonly finalizers: StageFinalizers }
  | { readonly kind: 'delete' }
  | { readonly kind: 'patch'; readonly patch: TemplatePatch }
  | { readonly kind: 'containers'; readonly change: ContainerChange }
  | { readonly kind: 'node'; readonly change: NodeChange };

export interface TemplatePatch {
  readonly template: Template;
  readonly root: string;
  readonly subresource: string;
  readonly type: 'json' | 'merge' | 'strategic';
}

export interface Stage {
  readonly name: string;
  readonly matches: Matcher;
  /** Undefined where the object has an empty or unreadable weight. */
  readonly weight: (object: JsonObject) => number | undefined;
  readonly delayMs: DelayOf;
  readonly steps: readonly Step[];
}

/** Throws where an expression or a template cannot be read; the message begins with the place. */
export function compileStage({ apiVersion, metadata, spec }: StageDocument): Stage {
  const isOurs = apiVersion === orchVersion;
  return {
    name: metadata.name,
    matches: spec.selector === undefined ? () => false : at('spec.selector', () => compileSelector(spec.selector!)),
    weight: at('spec.weightFrom', () => compileWeight(spec.weight ?? 0, spec.weightFrom)),
    delayMs: at('spec.delay', () => compileDelay(spec.delay, isOurs)),
    steps: at('spec.next', () => compileSteps(spec)),
  };
}

function at<T>(place: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`, { cause: error });
  }
}

function compileWeight(fixed: number, source: ExpressionSource | undefined): Stage['weight'] {
  if (source === undefined) return () => fixed;
  const query = compileSource(source);
  return (object) => {
    const [value] = query(object);
    if (typeof value === 'number') return Math.trunc(value);
    if (typeof value !== 'string') return fixed;
    return /^[+-]?\d+$/.test(value) ? Number(value) : undefined;
  };
}

function compileSteps({ next = {}, steps }: StageSpec): Step[] {
  const { statusTemplate, patches = [], event, finalizers, containers, node } = next;
  const all = steps ?? [
    { event, finalizers, delete: next.delete },
    { containers, node },
    ...(statusTemplate === undefined || statusTemplate === ''
      ? []
      : [{ patch: { subresource: 'status', root: 'status', template: statusTemplate } as const }]),
    ...patches.map((patch) => ({ patch })),
  ];
  const compiled: Step[] = [];
  for (const { event, finalizers, delete: isDeleted, patch, containers, node } of all as typeof steps & object) {
    if (event !== undefined) compiled.push({ kind: 'event', event });
    if (finalizers !== undefined) compiled.push({ kind: 'finalizers', finalizers });
    if (isDeleted === true) compiled.push({ kind: 'delete' });
    if (containers !== undefined) compiled.push({ kind: 'containers', change: containers });
    if (node !== undefined) compiled.push({ kind: 'node', change: node });
    if (patch !== undefined) {
      const { subresource = '', root = '', template = '', type = 'strategic' } = patch;
      compiled.push({ kind: 'patch', patch: { subresource, root, template: compileTemplate(template), type } });
    }
  }
  return compiled;
}

/**
 * One of those that match, at random by their weights. Where no weight can be read, or all are 0, each is as likely.
 */
export function chooseStage(matching: readonly Stage[], object: JsonObject, random: () => number): Stage | undefined {
  if (matching.length <= 1) return matching[0];
  const weights = matching.map((stage) => stage.weight(object));
  const known = matching.filter((_, index) => weights[index] !== undefined);
  const total = weights.reduce<number>((sum, weight) => sum + Math.max(0, weight ?? 0), 0);
  if (total === 0) {
    const even = known.length > 0 ? known : matching;
    return even[Math.floor(random() * even.length)];
  }
  let rest = random() * total;
  for (const [index, stage] of matching.entries()) {
    rest -= Math.max(0, weights[index] ?? 0);
    if (rest < 0) return stage;
  }
  return matching.at(-1);
}
