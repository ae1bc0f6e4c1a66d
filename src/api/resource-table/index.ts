/**
 * The built-in resources as data. What a row does not say is the usual: namespaced, all verbs, `<Kind>List`, the kind
 * in lower case as singular name, stored in its own version under its plural name. `api/resources.ts` expands the rows.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/ | API groups and versions}
 */
import { ADMISSION_TO_EVENTS } from './admission-to-events.ts';
import { CORE_RESOURCES } from './core.ts';
import { FLOWCONTROL_TO_STORAGEMIGRATION } from './flowcontrol-to-storagemigration.ts';
import type { GroupVersionRow } from './row.ts';

export const TABLE: readonly GroupVersionRow[] = [
  ...CORE_RESOURCES,
  ...ADMISSION_TO_EVENTS,
  ...FLOWCONTROL_TO_STORAGEMIGRATION,
];
