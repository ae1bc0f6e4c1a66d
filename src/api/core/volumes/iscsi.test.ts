import { expect, test } from 'vitest';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkIscsiVolume } from './iscsi.ts';

const errorsOf = (iqn: string): string[] => {
  const errors = new FieldErrors();
  checkIscsiVolume({ targetPortal: '10.0.0.1', iqn, lun: 0 }, FieldPath.of('iscsi'), errors);
  return errors.map(({ body }) => body.slice(body.lastIndexOf(': ') + 2));
};

test.each([
  { name: 'a name and a text', iqn: 'iqn.2001-04.com.example:storage:disk1', valid: true },
  { name: 'any text behind the colon', iqn: 'iqn.2001-04.com.example:a/b_c', valid: true },
  { name: 'something in front', iqn: 'iqn_x,iqn.2001-04.com.example:a', valid: true },
  { name: 'several names', iqn: 'iqn.2001-04.com_iqn.2001-04.b:iqn.2001-04.c:d', valid: true },
  { name: 'no text', iqn: 'iqn.2001-04.com.example', valid: false },
  { name: 'an empty text', iqn: 'iqn.2001-04.com.example:', valid: false },
  { name: 'two colons and nothing else', iqn: 'iqn.2001-04.com.example::', valid: true },
  { name: 'no name behind the month', iqn: 'iqn.2001-04.:a', valid: false },
  { name: 'another month', iqn: 'iqn.2001-4.com:a', valid: false },
  { name: 'a character that the name may not have', iqn: 'iqn.2001-04.com_example:a', valid: false },
  { name: 'a character that the text may not have', iqn: 'iqn.2001-04.com.example:a,b', valid: false },
  { name: 'a space', iqn: 'iqn.2001-04.com.example:a b', valid: false },
  { name: 'many beginnings', iqn: `${'iqn.2001-04.q'.repeat(100_000)}_:a`, valid: false },
  { name: 'many colons', iqn: `iqn.2001-04.q${':'.repeat(500_000)},`, valid: false },
])('Names of iSCSI targets: $name', ({ iqn, valid }) => {
  expect(errorsOf(iqn)).toEqual(valid ? [] : ['must be valid format']);
  // As upstream's pattern has it, which takes long for the long ones.
  if (iqn.length < 100) expect(/iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)$/.test(iqn)).toBe(valid);
});
