/** Triggers of controllers that not every change of an object wakes. */
import type { Informer, InformerHandler, Trigger } from '../../client/index.ts';
import type { Namespace } from '../../api/gen/types/core-v1.ts';

/** @param handler wakes the keys that its events are about */
export const eventsOf = <T>(
  informer: Informer<T>,
  handler: (add: (key: string, delayMs?: number) => void) => InformerHandler<T>,
): Trigger => ({
  attach(add) {
    const registration = informer.addHandler(handler(add));
    return () => registration.remove();
  },
  untilSynced: (signal) => informer.untilSynced(signal),
});

/** The names of namespaces that come or change, for what each namespace is to have. */
export const presentNamespaces = (namespaces: Informer<Namespace>): Trigger =>
  eventsOf(namespaces, (add) => ({
    onAdd: ({ metadata }) => add(metadata.name!),
    onUpdate: (_, { metadata }) => add(metadata.name!),
  }));
