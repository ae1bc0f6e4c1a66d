/** The pods that a Job makes. */
import type { Job } from '../../api/gen/types/batch-v1.ts';
import type { Container, EnvVar, Pod, PodTemplateSpec } from '../../api/gen/types/core-v1.ts';
import { judgeFailure } from './failure-policy.ts';
import {
  failureCountName,
  failuresBefore,
  ignoredFailureCountName,
  ignoredFailuresBefore,
  indexName,
  isIndexed,
  trackingFinalizer,
} from './job-pods.ts';

export function templateOf({ spec }: Job): PodTemplateSpec {
  const { template } = spec;
  const finalizers = template.metadata?.finalizers ?? [];
  const metadata = {
    ...template.metadata,
    finalizers: finalizers.includes(trackingFinalizer) ? finalizers : [...finalizers, trackingFinalizer],
  };
  return { ...template, metadata, ...(isIndexed(spec) ? { spec: withIndexVariables(template.spec) } : {}) };
}

/** @param lastFailure the pod of the index that is replaced, where failures are counted for each index */
export function templateOfIndex(
  template: PodTemplateSpec,
  job: Job,
  index: number,
  lastFailure: Pod | undefined,
): PodTemplateSpec {
  const metadata = {
    ...template.metadata,
    annotations: {
      ...template.metadata.annotations,
      [indexName]: String(index),
      ...(job.spec.backoffLimitPerIndex === undefined ? {} : failureCounts(job, lastFailure)),
    },
    labels: { ...template.metadata.labels, [indexName]: String(index) },
  };
  return { ...template, metadata, spec: { ...template.spec, hostname: `${job.metadata.name}-${index}` } };
}

/** So long that five random characters make a name of 63. */
const maxPrefixLength = 58;

/** The name of the Job is cut off where it is too long, so that the index is in the name of the pod. */
export function namePrefixOfIndex(job: string, index: number): string {
  const end = `-${index}-`;
  return `${job.slice(0, maxPrefixLength - end.length)}${end}`;
}

function failureCounts({ spec }: Job, lastFailure: Pod | undefined): Record<string, string> {
  if (lastFailure === undefined) return { [failureCountName]: '0' };
  const { counts } = judgeFailure(spec, lastFailure);
  const failures = failuresBefore(lastFailure) + (counts ? 1 : 0);
  const ignored = ignoredFailuresBefore(lastFailure) + (counts ? 0 : 1);
  return {
    [failureCountName]: String(failures),
    ...(ignored === 0 ? {} : { [ignoredFailureCountName]: String(ignored) }),
  };
}

const indexVariable: EnvVar = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexName}']` } },
};

type PodSpec = PodTemplateSpec['spec'];

function withIndexVariables(spec: PodSpec): PodSpec {
  const { containers, initContainers } = spec;
  return {
    ...spec,
    ...(containers === undefined ? {} : { containers: containers.map(withIndexVariable) }),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndexVariable) }),
  };
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  return env.some(({ name }) => name === indexVariable.name)
    ? container
    : { ...container, env: [...env, indexVariable] };
}
