/**
 * What autoscaling/v1 has no members for travels in annotations, as JSON. One that cannot be read counts as absent.
 * @see {@link https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale-walkthrough/ |
 *   HorizontalPodAutoscaler walkthrough}
 */
import { codecs } from '../../codecs.ts';
import type * as v2 from '../../gen/types/autoscaling-v2.ts';
import { JsonSyntaxError, JsonTypeError } from '../../../machinery/json/json-error.ts';
import { parseJson } from '../../../machinery/json/reader.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../machinery/value.ts';

const prefix = 'autoscaling.alpha.kubernetes.io/';

export const metricsAnnotation = `${prefix}metrics`;
export const currentMetricsAnnotation = `${prefix}current-metrics`;
export const conditionsAnnotation = `${prefix}conditions`;
export const behaviorAnnotation = `${prefix}behavior`;

export const roundTripAnnotations: readonly string[] = [
  metricsAnnotation,
  currentMetricsAnnotation,
  conditionsAnnotation,
  behaviorAnnotation,
];

type ItemType = 'MetricSpec' | 'MetricStatus' | 'HorizontalPodAutoscalerCondition';

const codecOf = (type: ItemType) => codecs.of(`autoscaling/v1.${type}`);

export const listText = (items: readonly object[], type: ItemType): string =>
  `[${items
    .map((item) =>
      codecOf(type)
        .toJson(item as JsonObject)
        .toString(),
    )
    .join(',')}]`;

export function readList<T>(text: string | undefined, type: ItemType): T[] | undefined {
  return attempt(text, (value) => {
    if (!Array.isArray(value)) return undefined;
    return value.map((item) => codecOf(type).normalize(item).value as T);
  });
}

function attempt<T>(text: string | undefined, read: (value: JsonValue) => T | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return read(parseJson(text));
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonTypeError) return undefined;
    throw error;
  }
}

/** Behavior came after v1, and its annotation has members with capitals, null where one is not set. */
export const behaviorText = ({ scaleUp, scaleDown }: v2.HorizontalPodAutoscalerBehavior): string =>
  JSON.stringify({ ScaleUp: capitalRules(scaleUp), ScaleDown: capitalRules(scaleDown) });

const capitalRules = (rules: v2.HPAScalingRules | undefined): object | null =>
  rules === undefined
    ? null
    : {
        StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
        SelectPolicy: rules.selectPolicy ?? null,
        Policies:
          rules.policies?.map(({ type = '', value = 0, periodSeconds = 0 }) => ({
            Type: type,
            Value: value,
            PeriodSeconds: periodSeconds,
          })) ?? null,
      };

export function readBehavior(text: string | undefined): v2.HorizontalPodAutoscalerBehavior | undefined {
  const behavior = attempt(
    text,
    (value) =>
      codecs.of('autoscaling/v2.HorizontalPodAutoscalerBehavior').normalize(uncapitalized(value))
        .value as v2.HorizontalPodAutoscalerBehavior,
  );
  return behavior?.scaleUp === undefined && behavior?.scaleDown === undefined ? undefined : behavior;
}

function uncapitalized(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(uncapitalized);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.slice(0, 1).toLowerCase() + key.slice(1),
      uncapitalized(member!),
    ]),
  );
}
