/** Rules of ranges for cluster IPs. @see {@link https://kep.k8s.io/1880 | KEP-1880} */
import type { ServiceCIDR } from '../../gen/types/networking-v1beta1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { parseCidr } from '../../../machinery/formats/addresses.ts';
import { parseStrictPrefix } from '../../../machinery/formats/strict-addresses.ts';
import { goStrings, GoSyntax } from '../../../machinery/go-quote.ts';
import { checkImmutable } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { ageCell } from '../../table/cells.ts';

const cidrsPath = FieldPath.of('spec', 'cidrs');

export function validateServiceCidr({ metadata, spec: { cidrs = [] } }: ServiceCIDR): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  const shown = new GoSyntax(`networking.ServiceCIDRSpec{CIDRs:${goStrings(cidrs).text}}`);
  if (cidrs.length === 0) errors.push(required(cidrsPath, 'at least one CIDR required'));
  else if (cidrs.length > 2) errors.push(invalid(cidrsPath, shown, 'may only hold up to 2 values'));
  else if (cidrs.length === 2 && !areDualStack(cidrs))
    errors.push(
      invalid(
        cidrsPath,
        shown,
        'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ),
    );
  else cidrs.forEach((cidr, i) => checkRange(cidr, cidrsPath.index(i), errors));
  return errors;
}

function areDualStack(cidrs: readonly string[]): boolean {
  const families = cidrs.map((cidr) => parseCidr(cidr)?.family);
  return families.includes(4) && families.includes(6);
}

function checkRange(cidr: string, path: FieldPath, errors: FieldErrors): void {
  const prefix = parseStrictPrefix(cidr);
  if (!prefix.ok) return void errors.push(invalid(path, cidr, prefix.problem));
  if (prefix.hasHostBits) errors.push(invalid(path, cidr, "wrong CIDR format, IP doesn't match network IP address"));
  if (prefix.text !== cidr) errors.push(invalid(path, cidr, 'CIDR not in RFC 5952 canonical format'));
}

export function validateServiceCidrUpdate(range: ServiceCIDR, old: ServiceCIDR): FieldErrors {
  const errors = validateBuiltInMetaUpdate(range.metadata, old.metadata);
  checkImmutable(range.spec.cidrs, old.spec.cidrs, cidrsPath, errors, (cidrs: string[]) => goStrings(cidrs));
  return errors;
}

export const serviceCidrCells = ({ metadata, spec }: ServiceCIDR, now: Date): string[] => [
  metadata.name ?? '',
  (spec.cidrs ?? []).join(','),
  ageCell(metadata.creationTimestamp, now),
];
