import { section, withDefault } from '../flag.ts';
import { type ApiServerOptions, apiServerFlags } from './table.ts';

const { serving, admission, storage } = apiServerFlags;
const accountPlugin = 'ServiceAccount';

/**
 * Without the plugin ServiceAccount, unless the flags name it: the controller that makes the account of each namespace
 * does not run beside a control plane of one's own, and no pod could be created.
 *
 * @NOTE differs from upstream: there the plugin is on by default everywhere, as it is for `orch apiserver`.
 */
export function withoutAccounts<O extends Pick<ApiServerOptions, 'admission'>>(options: O): O {
  const { enablePlugins, disablePlugins } = options.admission;
  if ([...enablePlugins, ...disablePlugins].includes(accountPlugin)) return options;
  return { ...options, admission: { ...options.admission, disablePlugins: [...disablePlugins, accountPlugin] } };
}

/**
 * Sections with the defaults of a control plane of one's own: for this machine alone, and taking what its only user may
 * do anyway.
 */
export const localDefaultSections = {
  serving: section(serving.title, {
    ...serving.flags,
    bindAddress: withDefault(serving.flags.bindAddress, '127.0.0.1'),
  }),
  admission: section(admission.title, {
    ...admission.flags,
    allowPrivileged: withDefault(admission.flags.allowPrivileged, true),
  }),
  storage: section(storage.title, {
    ...storage.flags,
    // One after the other, each waits for the disk: the embedded store writes what comes at a time at once.
    deleteCollectionWorkers: withDefault(storage.flags.deleteCollectionWorkers, 16),
  }),
} as const;
