/** What plugins ask of the attributes of a write, and how they refuse it. */
import { forbidden, type StatusError } from '../../machinery/status.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';

/** Whether the write is about this resource itself and not about one of its subresources. */
export const isAbout = ({ resource, subresource }: AdmissionAttributes, group: string, name: string): boolean =>
  subresource === '' && resource.resource === name && resource.group === group;

/** 403 in admission's words. An object that has no name yet is called by its prefix. */
export function refused(attributes: AdmissionAttributes, why: string): StatusError {
  const { name, object, resource } = attributes;
  const shown =
    [name, object?.metadata?.name, object?.metadata?.generateName].find((text) => text !== undefined && text !== '') ??
    'Unknown';
  return forbidden({ group: resource.group, resource: resource.resource }, shown, why);
}
