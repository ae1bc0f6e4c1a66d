/** Looks at one autoscaler: reads its target and metrics, scales, and says what came of it. */
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricStatus,
} from '../../api/gen/types/autoscaling-v2.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { Informer } from '../../client/index.ts';
import { isEqual } from '../../machinery/equal.ts';
import { matchesLabels, type Requirements } from '../../machinery/label-selector.ts';
import { parseLabelSelector } from '../../machinery/label-selector-text.ts';
import type { ControllerContext } from '../manager/context.ts';
import type { Scale, ScaledResource, Scales } from '../shared/scales.ts';
import { formatMs } from '../shared/times.ts';
import { Conditions } from './conditions.ts';
import { type History, limit, newHistory, noteChange } from './limits.ts';
import { MetricError, type MetricInput, type MetricProposal, proposalOf } from './metric-sources.ts';
import { actionOf, type AutoscalerMetrics, autoscalerMetrics, errorOf, type ScaleError, SpecError } from './metrics.ts';
import type { MetricsClient } from './metrics-client.ts';

export interface AutoscalerParts {
  readonly autoscalers: Informer<HorizontalPodAutoscaler>;
  readonly pods: Informer<Pod>;
  readonly scales: Scales;
  readonly metrics: MetricsClient;
}

interface Target {
  readonly resource: ScaledResource;
  readonly scale: Scale;
}

/** One look: what is said of the autoscaler so far. */
interface Look {
  readonly key: string;
  readonly object: HorizontalPodAutoscaler;
  readonly conditions: Conditions;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentMetrics?: MetricStatus[];
  lastScaleTime?: string;
}

interface Wanted {
  readonly replicas: number;
  readonly reason: string;
  readonly statuses: MetricStatus[];
}

export class Autoscaler {
  readonly #context: ControllerContext;
  readonly #parts: AutoscalerParts;
  readonly #metrics: AutoscalerMetrics | undefined;
  readonly #histories = new Map<string, History>();
  /** Which pods each autoscaler is for, as far as it was looked at. */
  readonly #selectors = new Map<string, Requirements>();

  constructor(context: ControllerContext, parts: AutoscalerParts) {
    this.#context = context;
    this.#parts = parts;
    this.#metrics = autoscalerMetrics(context.metrics);
  }

  async sync(key: string): Promise<void> {
    const object = this.#parts.autoscalers.objects.get(key);
    if (object === undefined) {
      this.#histories.delete(key);
      this.#selectors.delete(key);
      return;
    }
    const conditions = new Conditions(object.status?.conditions ?? [], this.#context.wallTime());
    const look: Look = { key, object, conditions };
    const begun = this.#context.clock.now();
    let failure: ScaleError = 'none';
    try {
      await this.#scale(look);
    } catch (error) {
      failure = errorOf(error);
      throw error;
    } finally {
      const change = failure === 'none' ? (look.desiredReplicas ?? 0) - (look.currentReplicas ?? 0) : 0;
      this.#metrics?.looked(actionOf(change), failure, this.#context.clock.now() - begun);
      await this.#write(look);
    }
  }

  async #scale(look: Look): Promise<void> {
    const { key, object, conditions } = look;
    const { clock } = this.#context;
    const { maxReplicas = 1, minReplicas = 1, behavior } = object.spec;
    const { resource, scale } = await this.#target(look);
    const message = "the HPA controller was able to get the target's current scale";
    conditions.set('AbleToScale', 'True', 'SucceededGetScale', message);
    const current = scale.spec?.replicas ?? 0;
    const history = this.#histories.get(key) ?? newHistory(current, clock.now());
    this.#histories.set(key, history);
    if (current === 0 && minReplicas !== 0) {
      const disabled = 'scaling is disabled since the replica count of the target is zero';
      conditions.set('ScalingActive', 'False', 'ScalingDisabled', disabled);
      return say(look, current, current, []);
    }
    const wanted = await this.#wanted(look, scale, history, minReplicas, maxReplicas);
    if (wanted.replicas !== current) {
      await this.#rescale(look, resource, scale, wanted);
      noteChange({ history, behavior }, wanted.replicas - current, clock.now());
      look.lastScaleTime = formatMs(this.#context.wallTime());
    }
    say(look, current, wanted.replicas, wanted.statuses);
  }

  async #target({ object, conditions }: Look): Promise<Target> {
    const { apiVersion = '', kind = '', name = '' } = object.spec.scaleTargetRef;
    const parts = apiVersion.split('/');
    if (parts.length > 2) throw new SpecError(`unexpected GroupVersion string: ${apiVersion}`);
    const { scales } = this.#parts;
    try {
      const resource = await scales.resourceInGroup(parts.length === 2 ? parts[0]! : '', kind);
      return { resource, scale: await scales.get(resource, object.metadata.namespace!, name) };
    } catch (error) {
      const { message } = error as Error;
      this.#context.events.event(object, 'Warning', 'FailedGetScale', message);
      const prefix = "the HPA controller was unable to get the target's current scale";
      conditions.set('AbleToScale', 'False', 'FailedGetScale', `${prefix}: ${message}`);
      throw error;
    }
  }

  async #wanted(look: Look, scale: Scale, history: History, min: number, max: number): Promise<Wanted> {
    const current = scale.spec?.replicas ?? 0;
    const { behavior } = look.object.spec;
    if (current > max)
      return { replicas: max, reason: 'Current number of replicas above Spec.MaxReplicas', statuses: [] };
    if (current < min)
      return { replicas: min, reason: 'Current number of replicas below Spec.MinReplicas', statuses: [] };
    const { replicas, name, statuses } = await this.#byMetrics(look, scale);
    const { conditions } = look;
    const limited = limit({
      ...{ history, current, wanted: replicas, min, max, behavior, now: this.#context.clock.now() },
      stabilizationMs: this.#context.options.horizontalPodAutoscaler.downscaleStabilizationMs,
    });
    const { ableToScale: able, scalingLimited: bounded } = limited;
    conditions.set('AbleToScale', able.status, able.reason, able.message);
    conditions.set('ScalingLimited', bounded.status, bounded.reason, bounded.message);
    const reason = replicas > current ? `${name} above target` : replicas < current ? 'All metrics below target' : '';
    return { replicas: limited.replicas, reason, statuses };
  }

  /** The most that a metric asks for. Where one says nothing, others cannot lower the number of pods. */
  async #byMetrics(look: Look, scale: Scale): Promise<{ replicas: number; name: string; statuses: MetricStatus[] }> {
    const { object, conditions } = look;
    const { events, options, wallTime } = this.#context;
    const current = scale.spec?.replicas ?? 0;
    look.currentReplicas = current;
    try {
      const selector = scale.status?.selector ?? '';
      const pods = this.#podsOf(look, selector);
      const input = {
        ...{ namespace: object.metadata.namespace!, selector, pods, options: options.horizontalPodAutoscaler },
        ...{ specReplicas: current, statusReplicas: scale.status?.replicas ?? 0, nowMs: wallTime() },
      };
      const found: MetricProposal[] = [];
      const failures: MetricError[] = [];
      const statuses: MetricStatus[] = [];
      const metrics = object.spec.metrics ?? [];
      for (const metric of metrics)
        try {
          const proposal = await this.#computed(metric, input);
          found.push(proposal);
          statuses.push(proposal.status);
        } catch (error) {
          if (!(error instanceof MetricError)) throw error;
          events.event(object, 'Warning', error.reason, error.detail);
          failures.push(error);
          statuses.push({ type: '' });
        }
      look.currentMetrics = statuses;
      const best = found.reduce<MetricProposal | undefined>(
        (most, each) => (most === undefined || each.replicas > most.replicas ? each : most),
        undefined,
      );
      const [failure = new MetricError('InvalidMetricSourceType', 'there are no metrics')] = failures;
      if (best === undefined || (failures.length > 0 && best.replicas < current)) {
        const prefix = 'the HPA was unable to compute the replica count';
        conditions.set('ScalingActive', 'False', failure.reason, `${prefix}: ${failure.detail}`);
        const counts = `${failures.length} invalid out of ${metrics.length}`;
        throw new Error(`invalid metrics (${counts}), first error is: ${failure.message}`, { cause: failure });
      }
      const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
      conditions.set('ScalingActive', 'True', 'ValidMetricFound', message);
      return { replicas: best.replicas, name: best.name, statuses };
    } catch (error) {
      events.event(object, 'Warning', 'FailedComputeMetricsReplicas', (error as Error).message);
      throw error;
    }
  }

  async #computed(metric: MetricSpec, input: MetricInput): Promise<MetricProposal> {
    const { clock } = this.#context;
    const begun = clock.now();
    const type = metric.type ?? '';
    try {
      const proposal = await proposalOf(metric, this.#parts.metrics, input);
      const action = actionOf(proposal.replicas - input.specReplicas);
      this.#metrics?.computed(type, action, 'none', clock.now() - begun);
      return proposal;
    } catch (error) {
      this.#metrics?.computed(type, 'none', errorOf(error), clock.now() - begun);
      throw error;
    }
  }

  /** Throws when pods cannot be told from those of other autoscalers. */
  #podsOf(look: Look, text: string): Pod[] {
    const { key, object, conditions } = look;
    const refuse = (reason: string, condition: string, message: string, shown = message): never => {
      this.#context.events.event(object, 'Warning', reason, message);
      conditions.set('ScalingActive', 'False', condition, shown);
      throw new Error(message);
    };
    if (text === '')
      refuse(
        'SelectorRequired',
        'InvalidSelector',
        'selector is required',
        "the HPA target's scale is missing a selector",
      );
    const selector = this.#parsed(text, (message) => refuse('InvalidSelector', 'InvalidSelector', message));
    this.#selectors.set(key, selector);
    const namespace = object.metadata.namespace!;
    const pods = this.#parts.pods.lister.listIn(namespace, selector);
    const rivals = [...this.#selectors].filter(
      ([other, theirs]) =>
        other === key ||
        (other.startsWith(`${namespace}/`) && pods.some(({ metadata }) => matchesLabels(theirs, metadata.labels))),
    );
    if (pods.length > 0 && rivals.length > 1) {
      const keys = rivals.map(([other]) => other).sort();
      const message = `pods by selector ${text} are controlled by multiple HPAs: [${keys.join(' ')}]`;
      refuse('AmbiguousSelector', 'AmbiguousSelector', message);
    }
    return pods;
  }

  #parsed(text: string, refuse: (message: string) => never): Requirements {
    try {
      return parseLabelSelector(text);
    } catch (error) {
      const { message } = error as Error;
      return refuse(`couldn't convert selector into a corresponding internal selector object: ${message}`);
    }
  }

  async #rescale(look: Look, resource: ScaledResource, scale: Scale, { replicas, reason }: Wanted): Promise<void> {
    const { object, conditions } = look;
    const { events } = this.#context;
    try {
      const next = { ...scale, spec: { ...scale.spec, replicas } };
      await this.#parts.scales.update(resource, object.metadata.namespace!, next);
    } catch (error) {
      const { message } = error as Error;
      const what = `New size: ${replicas}; reason: ${reason}; error: ${message}`;
      events.event(object, 'Warning', 'FailedRescale', what);
      const prefix = 'the HPA controller was unable to update the target scale';
      conditions.set('AbleToScale', 'False', 'FailedUpdateScale', `${prefix}: ${message}`);
      look.currentReplicas = scale.spec?.replicas ?? 0;
      throw error;
    }
    const message = `the HPA controller was able to update the target scale to ${replicas}`;
    conditions.set('AbleToScale', 'True', 'SucceededRescale', message);
    events.event(object, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
  }

  async #write({ object, conditions, ...said }: Look): Promise<void> {
    const { key: _, ...values } = said;
    const before: HorizontalPodAutoscalerStatus = object.status ?? {};
    const status = { ...before, ...values, conditions: conditions.all };
    if (isEqual(before, status)) return;
    const resource = this.#context.client.autoscaling.v2.horizontalpodautoscalers;
    await resource
      .namespace(object.metadata.namespace!)
      .status.update({ ...object, status })
      .catch(undefinedWhenGone);
  }
}

function say(look: Look, currentReplicas: number, desiredReplicas: number, currentMetrics: MetricStatus[]): void {
  Object.assign(look, { currentReplicas, desiredReplicas, currentMetrics });
}
