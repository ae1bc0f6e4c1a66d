import type { ISCSIPersistentVolumeSource, ISCSIVolumeSource } from '../../gen/types/core-v1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { byteLength } from '../../../machinery/formats/names.ts';
import { checkRequiredText } from '../../meta/checks.ts';
import { checkByte } from './paths.ts';

/**
 * The three formats of names of initiators and targets. @see {@link
 * https://www.rfc-editor.org/rfc/rfc3720#section-3.2.6.3 | RFC 3720 section 3.2.6.3}
 */
const nameFormats: Readonly<Record<string, (name: string) => boolean>> = {
  iqn: isIqn,
  eui: (name) => /^eui.[A-Za-z0-9]{16}$/.test(name),
  naa: (name) => /^naa.[A-Za-z0-9]{32}$/.test(name),
};

/**
 * `iqn.2001-04.com.example`, a colon, and a text that has none of `,;*&$|` and no spaces. Upstream looks for it at the
 * end of the name, wherever it begins; each part between colons is looked at once.
 */
function isIqn(name: string): boolean {
  const parts = name
    .split(/[,;*&$|\s]/)
    .at(-1)!
    .split(':');
  return parts.some(
    (part, i) =>
      i < parts.length - 1 &&
      (i < parts.length - 2 || parts.at(-1) !== '') &&
      /iqn\.\d{4}-\d{2}\../.test(endOfName(part)),
  );
}

/** The letters, digits, points and hyphens at the end. */
function endOfName(part: string): string {
  let start = part.length;
  while (start > 0 && /[A-Za-z0-9.-]/.test(part[start - 1]!)) start--;
  return part.slice(start);
}

const formatOf = (name: string): ((name: string) => boolean) | undefined => nameFormats[name.slice(0, 3)];

/** `unknown` is the detail for a name that begins with none of the three formats. */
function checkName(name: string, unknown: string, path: FieldPath, errors: FieldErrors): void {
  const format = formatOf(name);
  if (format === undefined) errors.push(invalid(path, name, unknown));
  else if (!format(name)) errors.push(invalid(path, name, 'must be valid format'));
}

type IscsiSource = ISCSIVolumeSource | ISCSIPersistentVolumeSource;

const withPrefixes = 'must be valid format starting with iqn, eui, or naa';

export function checkIscsiVolume(source: ISCSIVolumeSource, path: FieldPath, errors: FieldErrors): void {
  checkRequiredText(source.targetPortal, path.child('targetPortal'), errors);
  checkTarget(source, withPrefixes, path, errors);
  checkInitiator(source, withPrefixes, path, errors);
}

export function checkIscsiPersistentVolume(
  source: ISCSIPersistentVolumeSource,
  volumeName: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkRequiredText(source.targetPortal, path.child('targetPortal'), errors);
  if (isSessionNameTooLong(source, volumeName))
    errors.push(invalid(path.child('targetportal'), source.targetPortal ?? '', sessionNameMessage));
  checkTarget(source, 'must be valid format', path, errors);
  if (source.secretRef !== undefined) checkRequiredText(source.secretRef.name, path.child('secretRef', 'name'), errors);
  checkInitiator(source, 'must be valid format', path, errors);
}

function checkTarget(
  { iqn, lun, chapAuthDiscovery, chapAuthSession, secretRef }: IscsiSource,
  unknown: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (checkRequiredText(iqn, path.child('iqn'), errors)) checkName(iqn!, unknown, path.child('iqn'), errors);
  checkByte(lun, 0, path.child('lun'), errors);
  if ((chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined)
    errors.push(required(path.child('secretRef')));
}

function checkInitiator({ initiatorName }: IscsiSource, unknown: string, path: FieldPath, errors: FieldErrors): void {
  if (initiatorName !== undefined) checkName(initiatorName, unknown, path.child('initiatorname'), errors);
}

/** With an initiator of its own the session is named after volume and portal. */
export const isSessionNameTooLong = ({ initiatorName, targetPortal = '' }: IscsiSource, volumeName: string): boolean =>
  initiatorName !== undefined && byteLength(`${volumeName}:${targetPortal}`) > 64;

export const sessionNameMessage =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
