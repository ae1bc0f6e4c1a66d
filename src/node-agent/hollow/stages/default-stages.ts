/** What hollow pods and nodes go through where no stage of a file matches. */
import { orchVersion, type StageDocument, type StageSpec } from './document.ts';

/** Seconds that a pod of a job runs, as an annotation of the pod. */
export const runSecondsAnnotation = 'orch.io/hollow-run-seconds';
/** `dead`: the node renews no lease and reports no status until the annotation is gone. */
export const nodeStateAnnotation = 'orch.io/hollow-state';

const runSeconds = `.metadata.annotations["${runSecondsAnnotation}"]`;
const isAlive = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' };
const endsByItself = { key: '.spec.restartPolicy', operator: 'In', values: ['Never', 'OnFailure'] };

const stage = (kind: 'Pod' | 'Node', name: string, spec: Omit<StageSpec, 'resourceRef'>): StageDocument => ({
  apiVersion: orchVersion,
  kind: 'Stage',
  metadata: { name },
  spec: { resourceRef: { apiGroup: 'v1', kind }, ...spec },
});

export interface DefaultStageOptions {
  /** Of pods of jobs without the annotation. */
  readonly runSeconds: number;
}

export const defaultPodStages = ({ runSeconds: seconds }: DefaultStageOptions): StageDocument[] => [
  stage('Pod', 'containers-run', { selector: {}, next: { containers: { state: 'Running' } } }),
  stage('Pod', 'init-containers-complete', {
    selector: {},
    next: { containers: { state: 'Terminated', roles: ['init'], exitCode: 0 } },
  }),
  stage('Pod', 'job-completes', {
    selector: {
      matchExpressions: [
        isAlive,
        endsByItself,
        { key: '.metadata.ownerReferences.[].kind', operator: 'In', values: ['Job'] },
        { key: runSeconds, operator: 'DoesNotExist' },
      ],
    },
    delay: { durationMilliseconds: seconds * 1000 },
    next: { containers: { state: 'Terminated', roles: ['main'], exitCode: 0 } },
  }),
  stage('Pod', 'annotated-pod-completes', {
    selector: { matchExpressions: [isAlive, { key: runSeconds, operator: 'Exists' }] },
    delay: { durationMilliseconds: seconds * 1000, durationFrom: { expressionFrom: runSeconds } },
    next: { containers: { state: 'Terminated', roles: ['main'], exitCode: 0 } },
  }),
  // A server ends in good order when it is told to. Work that did not come to its end has not succeeded.
  stage('Pod', 'containers-stop', {
    selector: { matchExpressions: [{ ...endsByItself, operator: 'NotIn' }] },
    next: { containers: { state: 'Stopped', exitCode: 0 } },
  }),
  stage('Pod', 'unfinished-containers-stop', {
    selector: { matchExpressions: [endsByItself] },
    next: { containers: { state: 'Stopped', exitCode: 143 } },
  }),
];

export const defaultNodeStages = (): StageDocument[] => [
  stage('Node', 'node-dies', {
    selector: { matchAnnotations: { [nodeStateAnnotation]: 'dead' } },
    next: { node: { state: 'Dead' } },
  }),
  stage('Node', 'node-lives', {
    selector: {
      matchExpressions: [
        { key: `.metadata.annotations["${nodeStateAnnotation}"]`, operator: 'NotIn', values: ['dead'] },
      ],
    },
    next: { node: { state: 'Alive' } },
  }),
];
