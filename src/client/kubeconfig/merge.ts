/**
 * Several files in kubeconfig format as one, by kubectl's rules: the first file that sets a value, or has an entry of a
 * name, wins. An entry is taken whole, and its paths are relative to its file.
 * @see {@link https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/ | Organizing
 *   Cluster Access Using kubeconfig Files}, section "Merging kubeconfig files"
 */
import path from 'node:path';
import { parseYaml } from '../../machinery/json/yaml.ts';
import { type Fields, fieldsOf, KubeconfigError, text } from './fields.ts';

export interface Entry {
  readonly fields: Fields;
  /** What paths in it are relative to. */
  readonly folder: string;
}

export interface Kubeconfig {
  readonly currentContext: string;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

/** @param folder of the file. Throws {@link KubeconfigError}. */
export function parseKubeconfig(content: string | Uint8Array, folder: string): Kubeconfig {
  const { value, problems } = parseYaml(content);
  if (problems.length > 0) throw new KubeconfigError(problems.join(', '));
  const config = fieldsOf(value);
  const entries = (list: string, member: string): ReadonlyMap<string, Entry> => {
    const found = new Map<string, Entry>();
    const items = config[list];
    for (const item of (Array.isArray(items) ? items : []).map(fieldsOf))
      if (!found.has(text(item, 'name'))) found.set(text(item, 'name'), { fields: fieldsOf(item[member]), folder });
    return found;
  };
  return {
    currentContext: text(config, 'current-context'),
    contexts: entries('contexts', 'context'),
    clusters: entries('clusters', 'cluster'),
    users: entries('users', 'user'),
  };
}

export function mergeKubeconfigs(all: readonly Kubeconfig[]): Kubeconfig {
  const merged = (list: 'contexts' | 'clusters' | 'users'): ReadonlyMap<string, Entry> =>
    new Map(all.toReversed().flatMap((config) => [...config[list]]));
  return {
    currentContext: all.find(({ currentContext }) => currentContext !== '')?.currentContext ?? '',
    contexts: merged('contexts'),
    clusters: merged('clusters'),
    users: merged('users'),
  };
}

/** The files of `KUBECONFIG`, each once; those that do not exist are passed over by the reader. */
export const filesIn = (list: string): string[] => [
  ...new Set(list.split(path.delimiter).filter((file) => file !== '')),
];
