/** What a key may be used for: the names of the API, and what certificates have for them. */
import { namedBits, oid, sequence } from './der-writer.ts';
import { extension } from './extensions.ts';

/** Bits of KeyUsage. @see {@link https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.3 | RFC 5280, section 4.2.1.3} */
const bits: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
};

/** In the order in which certificates list them. */
const purposes: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** The extensions KeyUsage and ExtendedKeyUsage. Throws for a usage that has no place in them. */
export function usageExtensions(usages: readonly string[]): Buffer[] {
  const unknown = usages.filter((usage) => bits[usage] === undefined && purposes[usage] === undefined);
  if (unknown.length > 0) throw new Error(`unrecognized usage values: ${unknown.join(', ')}`);
  const set = new Set(usages.flatMap((usage) => bits[usage] ?? []));
  const ids = new Set(Object.keys(purposes).flatMap((name) => (usages.includes(name) ? [purposes[name]!] : [])));
  return [
    ...(set.size === 0 ? [] : [extension('2.5.29.15', namedBits([...set]), true)]),
    ...(ids.size === 0 ? [] : [extension('2.5.29.37', sequence(...[...ids].map(oid)))]),
  ];
}
