/**
 * The plugins of one scheduler name by extension point, and how each point runs: who is asked, who is not asked any
 * more after an answer, and what becomes of a plugin that throws.
 */
import type { NominatedPods } from '../queue/nominated-pods.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { CycleState } from './cycle-state.ts';
import { type ExtensionPoint, takesPartIn } from './extension-point.ts';
import { NodeScores } from './node-scores.ts';
import type { NodeStatuses } from './node-statuses.ts';
import { type SchedulerObserver, silentObserver } from './observer.ts';
import type {
  Answer,
  BindPlugin,
  FilterPlugin,
  Has,
  PermitPlugin,
  Plugin,
  PostBindPlugin,
  PostFilterPlugin,
  PostFilterResult,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  PreScorePlugin,
  QueueSortPlugin,
  ReservePlugin,
  ScorePlugin,
} from './plugin.ts';
import { addNominated } from './nominated-filter.ts';
import { codeOf, failure, Status, unresolvable } from './status.ts';

export interface EnabledPlugin {
  readonly plugin: Plugin;
  /** Of scores. */
  readonly weight: number;
}

export type EnabledPlugins = Readonly<Record<ExtensionPoint, readonly EnabledPlugin[]>>;

export interface ProfileOptions {
  readonly schedulerName: string;
  readonly enabled: EnabledPlugins;
  /** In place of the one for all profiles. */
  readonly percentageOfNodesToScore?: number | undefined;
  readonly nominated: NominatedPods;
  readonly observer?: SchedulerObserver;
}

/** What PreFilter says of all nodes. */
export interface PreFilterOutcome {
  readonly status: Answer;
  /** The only nodes that can be suitable; all when absent. */
  readonly nodeNames?: ReadonlySet<string> | undefined;
  /** Those who left out other nodes. */
  readonly restrictedBy: readonly string[];
}

export interface ScoredPlugin {
  readonly plugin: Has<ScorePlugin & Partial<PreScorePlugin>>;
  readonly weight: number;
}

export class Profile {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore: number | undefined;
  readonly plugins: readonly Plugin[];
  readonly queueSort: Has<QueueSortPlugin>;
  readonly #preEnqueue: readonly Has<PreEnqueuePlugin>[];
  readonly #preFilters: readonly Has<PreFilterPlugin>[];
  readonly #filters: readonly Has<FilterPlugin>[];
  readonly #postFilters: readonly Has<PostFilterPlugin>[];
  readonly #preScores: readonly Has<PreScorePlugin>[];
  readonly #scores: readonly ScoredPlugin[];
  readonly #reserves: readonly Has<ReservePlugin>[];
  readonly permits: readonly Has<PermitPlugin>[];
  readonly #preBinds: readonly Has<PreBindPlugin>[];
  readonly #binds: readonly Has<BindPlugin>[];
  readonly #postBinds: readonly Has<PostBindPlugin>[];
  readonly #nominated: NominatedPods;
  readonly #observer: SchedulerObserver;
  readonly #nodeScores = new NodeScores();

  constructor({ schedulerName, enabled, percentageOfNodesToScore, nominated, observer }: ProfileOptions) {
    this.schedulerName = schedulerName;
    this.percentageOfNodesToScore = percentageOfNodesToScore;
    this.#nominated = nominated;
    this.#observer = observer ?? silentObserver;
    this.plugins = [...new Set(Object.values(enabled).flatMap((all) => all.map(({ plugin }) => plugin)))];
    const at = <P>(point: ExtensionPoint): Has<P>[] =>
      enabled[point].map(({ plugin }) => plugin).filter((plugin) => takesPartIn(plugin, point)) as Has<P>[];
    this.queueSort = at<QueueSortPlugin>('queueSort')[0]!;
    this.#preEnqueue = at('preEnqueue');
    this.#preFilters = at('preFilter');
    this.#filters = at('filter');
    this.#postFilters = at('postFilter');
    this.#preScores = at('preScore');
    this.#scores = enabled.score.filter(({ plugin }) => takesPartIn(plugin, 'score')) as unknown as ScoredPlugin[];
    this.#reserves = at('reserve');
    this.permits = at('permit');
    this.#preBinds = at('preBind');
    this.#binds = at('bind');
    this.#postBinds = at('postBind');
  }

  get hasPostFilters(): boolean {
    return this.#postFilters.length > 0;
  }

  get hasScores(): boolean {
    return this.#scores.length > 0;
  }

  preEnqueue(pod: PodInfo): Answer {
    for (const plugin of this.#preEnqueue) {
      const status = guarded(plugin.name, () => plugin.preEnqueue(pod));
      if (status !== undefined) return status;
    }
    return undefined;
  }

  preFilter(state: CycleState, pod: PodInfo): PreFilterOutcome {
    const begun = performance.now();
    const outcome = this.#preFilter(state, pod);
    this.#observed('PreFilter', outcome.status, begun);
    return outcome;
  }

  /** The filters that take part in this cycle. */
  filtersFor({ skippedFilters }: CycleState): readonly Has<FilterPlugin>[] {
    return skippedFilters.size === 0 ? this.#filters : this.#filters.filter(({ name }) => !skippedFilters.has(name));
  }

  /** All nodes were looked at, as far as needed. */
  filtered(filters: readonly Has<FilterPlugin>[], status: Answer, begun: number): void {
    for (const { name } of filters) this.#observer.evaluated('Filter', name, this.schedulerName);
    this.#observed('Filter', status, begun);
  }

  /** Whether the pod fits beside the pods that are there and those nominated for the node, and without the latter. */
  filter(filters: readonly Has<FilterPlugin>[], state: CycleState, pod: PodInfo, node: NodeInfo): Answer {
    const nominated = this.#nominated.size === 0 ? undefined : this.#nominated.on(node.name);
    if (nominated !== undefined && nominated.size > 0) {
      const beside = addNominated(nominated, { state, pod, node, preFilters: this.#preFilters });
      const status = beside && runFilters(filters, beside.state, pod, beside.node);
      if (status !== undefined) return status;
    }
    return state.isMeasured ? this.#runMeasured(filters, state, pod, node) : runFilters(filters, state, pod, node);
  }

  /** Told to plugins that keep a state, in simulations. */
  podAdded(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): void {
    for (const plugin of this.#preFilters)
      if (!state.skippedFilters.has(plugin.name)) plugin.addPod?.(state, pod, added, node);
  }

  podRemoved(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): void {
    for (const plugin of this.#preFilters)
      if (!state.skippedFilters.has(plugin.name)) plugin.removePod?.(state, pod, removed, node);
  }

  async postFilter(state: CycleState, pod: PodInfo, statuses: NodeStatuses): Promise<PostFilterResult> {
    const begun = performance.now();
    const result = await this.#postFilter(state, pod, statuses);
    this.#observed('PostFilter', result.status, begun);
    return result;
  }

  /** The sum of all scores, each with its weight. Valid until the next call. Throws what a plugin throws. */
  score(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Float64Array {
    const begun = performance.now();
    for (const plugin of this.#preScores) {
      const started = performance.now();
      const status = plugin.preScore(state, pod, nodes);
      this.#ran('PreScore', plugin.name, status, started, state);
      if (status === undefined) continue;
      if (status.code !== 'Skip') throw new Error(`running PreScore plugin "${plugin.name}": ${status.message}`);
      state.skippedScores.add(plugin.name);
    }
    this.#observed('PreScore', undefined, begun);
    const scoring = performance.now();
    const totals = this.#nodeScores.total(this.#scores, state, pod, nodes);
    this.#observed('Score', undefined, scoring);
    for (const { plugin } of this.#scores)
      if (!state.skippedScores.has(plugin.name)) this.#observer.evaluated('Score', plugin.name, this.schedulerName);
    return totals;
  }

  reserve(state: CycleState, pod: PodInfo, nodeName: string): Answer {
    return this.#each('Reserve', this.#reserves, (plugin) => plugin.reserve(state, pod, nodeName));
  }

  /** In reverse order, and all of them. */
  unreserve(state: CycleState, pod: PodInfo, nodeName: string): void {
    for (const plugin of [...this.#reserves].reverse()) plugin.unreserve(state, pod, nodeName);
  }

  async preBind(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Answer> {
    const begun = performance.now();
    let status: Answer;
    for (const plugin of this.#preBinds) {
      status = await guardedAsync(plugin.name, () => plugin.preBind(state, pod, nodeName, signal));
      if (status !== undefined) break;
    }
    this.#observed('PreBind', status, begun);
    return status;
  }

  /** The first plugin that does not skip the pod binds it. */
  async bind(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Answer> {
    const begun = performance.now();
    let status: Answer = new Status('Skip', '', ['no plugin binds the pod']);
    for (const plugin of this.#binds) {
      status = await guardedAsync(plugin.name, () => plugin.bind(state, pod, nodeName, signal));
      if (status?.code !== 'Skip') break;
    }
    this.#observed('Bind', status, begun);
    return status;
  }

  postBind(state: CycleState, pod: PodInfo, nodeName: string): void {
    for (const plugin of this.#postBinds) plugin.postBind(state, pod, nodeName);
  }

  #preFilter(state: CycleState, pod: PodInfo): PreFilterOutcome {
    let nodeNames: ReadonlySet<string> | undefined;
    const restrictedBy: string[] = [];
    for (const plugin of this.#preFilters) {
      let result: ReturnType<PreFilterPlugin['preFilter']>;
      const begun = performance.now();
      const thrown = guarded(plugin.name, () => void (result = plugin.preFilter(state, pod)));
      const status = thrown ?? result?.status;
      this.#ran('PreFilter', plugin.name, status, begun, state);
      if (status?.code === 'Skip') state.skippedFilters.add(plugin.name);
      else if (status !== undefined) return { status, restrictedBy };
      if (result?.nodeNames === undefined) continue;
      restrictedBy.push(plugin.name);
      nodeNames = nodeNames === undefined ? result.nodeNames : common(nodeNames, result.nodeNames);
      if (nodeNames.size === 0) return { status: noneLeft(restrictedBy), restrictedBy, nodeNames };
    }
    return { status: undefined, nodeNames, restrictedBy };
  }

  async #postFilter(state: CycleState, pod: PodInfo, statuses: NodeStatuses): Promise<PostFilterResult> {
    let rejection: PostFilterResult | undefined;
    for (const plugin of this.#postFilters) {
      const result = await plugin
        .postFilter(state, pod, statuses)
        .catch((error: unknown): PostFilterResult => ({ status: failure(plugin.name, error) }));
      if (result.status === undefined || result.status.code === 'Error') return result;
      if (result.status.code === 'UnschedulableAndUnresolvable') return result;
      rejection ??= result;
    }
    return rejection ?? { status: undefined };
  }

  #each<P extends { readonly name: string }>(point: string, plugins: readonly P[], run: (plugin: P) => Answer): Answer {
    const begun = performance.now();
    let status: Answer;
    for (const plugin of plugins) if ((status = guarded(plugin.name, () => run(plugin))) !== undefined) break;
    this.#observed(point, status, begun);
    return status;
  }

  #runMeasured(filters: readonly Has<FilterPlugin>[], state: CycleState, pod: PodInfo, node: NodeInfo): Answer {
    for (let i = 0; i < filters.length; i++) {
      const plugin = filters[i]!;
      const begun = performance.now();
      const status = runFilter(plugin, state, pod, node);
      this.#observer.plugin('Filter', plugin.name, codeOf(status), (performance.now() - begun) / 1000);
      if (status !== undefined) return status;
    }
    return undefined;
  }

  /** One plugin was asked about a pod. */
  #ran(point: string, plugin: string, status: Answer, begun: number, { isMeasured }: CycleState): void {
    this.#observer.evaluated(point, plugin, this.schedulerName);
    if (isMeasured) this.#observer.plugin(point, plugin, codeOf(status), (performance.now() - begun) / 1000);
  }

  #observed(point: string, status: Answer, begun: number): void {
    this.#observer.extensionPoint(point, this.schedulerName, codeOf(status), (performance.now() - begun) / 1000);
  }
}

function runFilters(filters: readonly Has<FilterPlugin>[], state: CycleState, pod: PodInfo, node: NodeInfo): Answer {
  for (let i = 0; i < filters.length; i++) {
    const status = runFilter(filters[i]!, state, pod, node);
    if (status !== undefined) return status;
  }
  return undefined;
}

function runFilter(plugin: Has<FilterPlugin>, state: CycleState, pod: PodInfo, node: NodeInfo): Answer {
  try {
    return plugin.filter(state, pod, node);
  } catch (error) {
    return failure(plugin.name, error);
  }
}

function guarded(plugin: string, run: () => Answer | void): Answer {
  try {
    return run() ?? undefined;
  } catch (error) {
    return failure(plugin, error);
  }
}

async function guardedAsync(plugin: string, run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    return failure(plugin, error);
  }
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((name) => b.has(name)));
}

function noneLeft(plugins: readonly string[]): Status {
  const who =
    plugins.length === 1
      ? `node(s) didn't satisfy plugin ${plugins[0]!}`
      : `node(s) didn't satisfy plugin(s) [${plugins.join(' ')}] simultaneously`;
  return unresolvable(plugins.at(-1)!, who);
}
