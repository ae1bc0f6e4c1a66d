/**
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-dns-policy | Pod's DNS
 *   policy}
 */
import type { DNSPolicy, HostAlias, PodDNSConfig } from '../../gen/types/core-v1.ts';
import { invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isIp } from '../../../machinery/formats/addresses.ts';
import { byteLength, isDns1123Subdomain, isDns1123SubdomainWithUnderscore } from '../../../machinery/formats/names.ts';
import { goStrings } from '../../../machinery/go-quote.ts';
import { checkFormat, checkRequiredText } from '../../meta/checks.ts';
import type { PodValidationOptions } from './validation-option-types.ts';

const policies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

export function checkDnsPolicy(policy: DNSPolicy | undefined, path: FieldPath, errors: FieldErrors): void {
  if (checkRequiredText(policy, path, errors) && !policies.includes(policy!))
    errors.push(notSupported(path, policy, policies));
}

/** What resolvers of the C library can take. */
const maxNameservers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;

export function checkDnsConfig(
  config: PodDNSConfig | undefined,
  policy: DNSPolicy | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  if (policy === 'None' && config === undefined)
    return void errors.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'));
  if (config === undefined) return;
  const { nameservers = [], searches = [], options } = config;
  if (policy === 'None' && nameservers.length === 0)
    return void errors.push(
      required(path.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
    );
  if (nameservers.length > maxNameservers)
    errors.push(
      invalid(
        path.child('nameservers'),
        goStrings(nameservers),
        `must not have more than ${maxNameservers} nameservers`,
      ),
    );
  nameservers.forEach((address, i) => checkFormat(isIp, address, path.child('nameservers').index(i), errors));
  checkSearches(searches, path.child('searches'), errors, rules);
  options?.forEach(({ name }, i) =>
    checkRequiredText(name, path.child('options').index(i), errors, 'must not be empty'),
  );
}

function checkSearches(
  searches: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
  { relaxedDnsSearches }: PodValidationOptions,
): void {
  if (searches.length > maxSearches)
    errors.push(invalid(path, goStrings(searches), `must not have more than ${maxSearches} search paths`));
  if (byteLength(searches.join(' ')) > maxSearchCharacters)
    errors.push(
      invalid(
        path,
        goStrings(searches),
        `must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`,
      ),
    );
  searches.forEach((search, i) => {
    if (relaxedDnsSearches && search === '.') return;
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    checkFormat(
      relaxedDnsSearches ? isDns1123SubdomainWithUnderscore : isDns1123Subdomain,
      name,
      path.index(i),
      errors,
    );
  });
}

export function checkHostAliases(
  aliases: readonly HostAlias[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  aliases?.forEach(({ ip = '', hostnames }, i) => {
    const at = path.index(i);
    checkFormat(isIp, ip, at.child('ip'), errors);
    hostnames?.forEach((name, j) => checkFormat(isDns1123Subdomain, name, at.child('hostnames').index(j), errors));
  });
}
