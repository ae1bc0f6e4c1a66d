/** The pods that the API server has bound to this node. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import { onEveryChange } from '../../../reconcile/handlers.ts';
import { Informer } from '../../../reconcile/informer.ts';
import type { PodSink, PodSource } from './pod-source.ts';

export interface ApiSourceOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly sink: PodSink;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

export function createApiSource({ client, nodeName, sink, ...shared }: ApiSourceOptions): PodSource {
  const source = client.core.v1.pods.source({ fieldSelector: `spec.nodeName=${nodeName}`, dropManagedFields: true });
  const informer = new Informer<Pod>({ source, ...shared });
  /** Those of the first list, until it is whole: the oldest are admitted first. */
  let first: Pod[] | undefined = [];
  const begin = (): void => {
    const pods = first ?? [];
    first = undefined;
    for (const pod of pods.sort(byCreation)) sink.set(pod);
  };
  informer.addHandler(
    onEveryChange((before, after) => {
      if (first !== undefined) {
        if (after !== undefined) first.push(after);
        return;
      }
      const uid = before?.metadata.uid;
      if (uid !== undefined && uid !== after?.metadata.uid) sink.remove(uid);
      if (after !== undefined) sink.set(after);
    }),
  );
  return {
    get hasSynced() {
      return first === undefined;
    },
    start() {
      informer.start();
      void informer.synced().then(begin, () => undefined);
    },
    stop: () => informer.stop(),
  };
}

const byCreation = (a: Pod, b: Pod): number =>
  String(a.metadata.creationTimestamp ?? '') < String(b.metadata.creationTimestamp ?? '') ? -1 : 1;
