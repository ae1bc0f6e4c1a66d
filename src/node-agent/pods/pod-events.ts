/** Events about pods and their containers, in upstream's words. */
import type { ObjectReference, Pod } from '../../api/gen/types/core-v1.ts';
import type { EventRecorder, EventType } from '../../client/events/recorder.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';

export class PodEvents {
  readonly #recorder: Pick<EventRecorder, 'event'>;

  constructor(recorder: Pick<EventRecorder, 'event'>) {
    this.#recorder = recorder;
  }

  ofPod(pod: Pick<Pod, 'metadata'>, type: EventType, reason: string, message: string): void {
    this.#recorder.event(referenceTo(pod), type, reason, message);
  }

  /** Events of nodes carry the name of the node as its uid, as upstream's do. */
  ofNode(name: string, type: EventType, reason: string, message: string): void {
    this.#recorder.event({ kind: 'Node', name, uid: name }, type, reason, message);
  }

  ofContainer(
    pod: Pick<Pod, 'metadata'>,
    container: Pick<PodContainer, 'name' | 'role'>,
    type: EventType,
    reason: string,
    message: string,
  ): void {
    const fieldPath = `spec.${listOf[container.role]}{${container.name}}`;
    this.#recorder.event({ ...referenceTo(pod), fieldPath }, type, reason, message);
  }
}

const listOf = {
  init: 'initContainers',
  sidecar: 'initContainers',
  main: 'containers',
  ephemeral: 'ephemeralContainers',
} as const;

const referenceTo = ({ metadata }: Pick<Pod, 'metadata'>): ObjectReference => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: metadata.name!,
  namespace: metadata.namespace!,
  uid: metadata.uid!,
  ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
});
