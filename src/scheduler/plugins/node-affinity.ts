/** Nodes that a pod requires and prefers by their labels and names. */
import type {
  Node,
  NodeAffinity,
  NodeSelectorTerm,
  Pod,
  PreferredSchedulingTerm,
} from '../../api/gen/types/core-v1.ts';
import { actions } from '../framework/cluster-event.ts';
import type { StateData } from '../framework/cycle-state.ts';
import { normalizeToMax } from '../framework/normalize.ts';
import type {
  EnqueuePlugin,
  FilterPlugin,
  Has,
  PreFilterPlugin,
  PreFilterResult,
  PreScorePlugin,
  ScorePlugin,
} from '../framework/plugin.ts';
import { skip, unresolvable } from '../framework/status.ts';
import {
  type NodePredicate,
  nodeSelectorPredicate,
  nodeTermPredicate,
  requiredNodePredicate,
} from '../../api/core/nodes/node-selector.ts';

export interface NodeAffinityArgs {
  /** Holds for every pod, beside its own. */
  readonly addedAffinity?: NodeAffinity;
}

const name = 'NodeAffinity';
const filterKey = `PreFilter${name}`;
const scoreKey = `PreScore${name}`;
const skipped = skip(name);
const ownMismatch = unresolvable(name, "node(s) didn't match Pod's node affinity/selector");
const addedMismatch = unresolvable(name, "node(s) didn't match scheduler-enforced node affinity");
const conflict = unresolvable(name, 'pod affinity terms conflict');

class Required implements StateData {
  readonly matches: NodePredicate | undefined;

  constructor(matches: NodePredicate | undefined) {
    this.matches = matches;
  }

  clone(): StateData {
    return this;
  }
}

interface Preference {
  readonly weight: number;
  readonly matches: NodePredicate;
}

class Preferred implements StateData {
  readonly preferences: readonly Preference[];

  constructor(preferences: readonly Preference[]) {
    this.preferences = preferences;
  }

  clone(): StateData {
    return this;
  }
}

type NodeAffinityPlugin = Has<PreFilterPlugin & FilterPlugin & PreScorePlugin & ScorePlugin & EnqueuePlugin>;

export function createNodeAffinity({ addedAffinity }: NodeAffinityArgs = {}): NodeAffinityPlugin {
  const addedTerms = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const added = addedTerms === undefined ? undefined : nodeSelectorPredicate(addedTerms);
  const addedPreferences = preferencesOf(addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
  const fits = (pod: Pod, node: Node): boolean =>
    (added === undefined || added(node)) && (requiredNodePredicate(pod.spec)?.(node) ?? true);
  return {
    name,
    preFilter(state, { pod }): PreFilterResult | undefined {
      const matches = requiredNodePredicate(pod.spec);
      if (matches === undefined && added === undefined) return { status: skipped };
      state.write(filterKey, new Required(matches));
      return namedNodes(pod);
    },
    filter(state, _, { node }) {
      if (added !== undefined && !added(node!)) return addedMismatch;
      const { matches } = state.read<Required>(filterKey)!;
      return matches === undefined || matches(node!) ? undefined : ownMismatch;
    },
    preScore(state, { pod }) {
      const own = preferencesOf(pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
      if (own.length + addedPreferences.length === 0) return skipped;
      state.write(scoreKey, new Preferred([...addedPreferences, ...own]));
      return undefined;
    },
    score(state, _, { node }) {
      let sum = 0;
      for (const { weight, matches } of state.read<Preferred>(scoreKey)!.preferences) if (matches(node!)) sum += weight;
      return sum;
    },
    normalize: (_state, _pod, scores) => normalizeToMax(scores),
    events: [
      {
        resource: 'Node',
        action: actions.add | actions.updateNodeLabel,
        hint: (pod, before, after) => fits(pod, after as Node) && (before === undefined || !fits(pod, before as Node)),
      },
    ],
  };
}

function preferencesOf(terms: readonly PreferredSchedulingTerm[] = []): Preference[] {
  return terms
    .filter(({ weight = 0 }) => weight !== 0)
    .map(({ weight = 0, preference }) => ({ weight, matches: nodeTermPredicate(preference) }));
}

/** A pod whose terms all name their nodes, as those of a DaemonSet, is looked at on these alone. */
export function namedNodes({ spec }: Pod): PreFilterResult | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined || terms.length === 0) return undefined;
  const nodeNames = new Set<string>();
  for (const term of terms) {
    const named = namesInTerm(term);
    if (named === undefined) return undefined;
    for (const node of named) nodeNames.add(node);
  }
  return nodeNames.size === 0 ? { status: conflict } : { nodeNames };
}

function namesInTerm({ matchFields = [] }: NodeSelectorTerm): readonly string[] | undefined {
  let names: readonly string[] | undefined;
  for (const { key, operator, values = [] } of matchFields) {
    if (key !== 'metadata.name' || operator !== 'In') continue;
    names = names === undefined ? values : names.filter((each) => values.includes(each));
  }
  return names;
}
