import { section, withDefault } from '../flag.ts';
import { apiServerFlags } from './table.ts';

const { serving, admission } = apiServerFlags;

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
} as const;
