/** Events about pods, in upstream's words. They are reported under the name of the pod's scheduler. */
import type { ObjectReference, Pod } from '../../api/gen/types/core-v1.ts';
import type { SeriesRecorder } from '../../client/events/series-recorder.ts';

/** A recorder for the scheduler of a name. */
export type RecorderFor = (schedulerName: string) => Pick<SeriesRecorder, 'event'> | undefined;

export const referenceToPod = ({ metadata }: Pod): ObjectReference => {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
};

export class PodEvents {
  readonly #recorderFor: RecorderFor;

  constructor(recorderFor: RecorderFor) {
    this.#recorderFor = recorderFor;
  }

  scheduled(pod: Pod, nodeName: string): void {
    const { namespace = '', name = '' } = pod.metadata;
    const note = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
    this.#record(pod, { type: 'Normal', reason: 'Scheduled', action: 'Binding', note });
  }

  failedScheduling(pod: Pod, message: string): void {
    const note = truncated(message);
    this.#record(pod, { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note });
  }

  preempted(victim: Pod, preemptor: Pod, nodeName: string): void {
    const note = `Preempted by pod ${preemptor.metadata.uid ?? ''} on node ${nodeName}`;
    const event = { type: 'Normal', reason: 'Preempted', action: 'Preempting', note } as const;
    this.#recorderFor(preemptor.spec.schedulerName ?? '')?.event({
      ...event,
      regarding: referenceToPod(victim),
      related: referenceToPod(preemptor),
    });
  }

  #record(
    pod: Pod,
    event: {
      readonly type: 'Normal' | 'Warning';
      readonly reason: string;
      readonly action: string;
      readonly note: string;
    },
  ): void {
    this.#recorderFor(pod.spec.schedulerName ?? '')?.event({ ...event, regarding: referenceToPod(pod) });
  }
}

/** Of a note, in bytes. */
const maxNoteBytes = 1024;
const ending = ' ...';

export function truncated(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= maxNoteBytes) return message;
  // A character that is cut would become another one.
  const kept = bytes
    .subarray(0, maxNoteBytes - ending.length)
    .toString()
    .replace(/\uFFFD+$/, '');
  return `${kept}${ending}`;
}
