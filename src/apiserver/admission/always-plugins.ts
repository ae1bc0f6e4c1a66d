/**
 * The two plugins that look at nothing: one admits everything and the other nothing. Both are kept for command lines
 * that name them.
 */
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { refused } from './attributes.ts';

export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit', handles: () => true };

const deny = (attributes: AdmissionAttributes): never => {
  throw refused(attributes, 'admission control is denying all modifications');
};

export const alwaysDeny: AdmissionPlugin = { name: 'AlwaysDeny', handles: () => true, admit: deny, validate: deny };
