/** A context of a kubeconfig with the cluster and the user that it names. */
import { KubeconfigError, text } from './fields.ts';
import type { Entry, Kubeconfig } from './merge.ts';

export interface SelectedContext {
  readonly context: Entry;
  readonly cluster: Entry;
  /** Empty for a context without a user. */
  readonly userName: string;
  readonly user: Entry;
  /** The server of the cluster. */
  readonly url: string;
}

const noEntry: Entry = { fields: {}, folder: '.' };

/** Throws {@link KubeconfigError}. */
export function selectContext(config: Kubeconfig, name: string = config.currentContext): SelectedContext {
  const context = entryOf(config.contexts, 'context', name);
  const clusterName = text(context.fields, 'cluster');
  const cluster = entryOf(config.clusters, 'cluster', clusterName);
  const userName = text(context.fields, 'user');
  const user = userName === '' ? noEntry : entryOf(config.users, 'user', userName);
  const url = text(cluster.fields, 'server');
  if (!URL.canParse(url))
    throw new KubeconfigError(`cluster ${JSON.stringify(clusterName)} has no server that is a URL`);
  return { context, cluster, userName, user, url };
}

function entryOf(entries: ReadonlyMap<string, Entry>, kind: string, name: string): Entry {
  const found = entries.get(name);
  if (found !== undefined) return found;
  throw new KubeconfigError(
    name === '' && kind === 'context'
      ? 'there is no current-context'
      : `${kind} ${JSON.stringify(name)} does not exist`,
  );
}
