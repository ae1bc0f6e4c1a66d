/** Names that begin with a domain. Unlike the plain formats they report an absent value as required. */
import { invalid, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { isDns1123Label, isDns1123Subdomain, isHttpPath } from '../../machinery/formats/names.ts';
import { invalidEach } from './checks.ts';

/** `acme.io/foo`: a domain, and behind the first slash what a URL path may have. */
export function checkDomainPrefixedPath(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value === '') return void errors.push(required(path));
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1)
    return void errors.push(invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  const host = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  invalidEach(isDns1123Subdomain(host), path, host, errors);
  invalidEach(isHttpPath(rest), path, rest, errors);
}

/** `a.example.com`: at least three labels. */
export function checkFullyQualifiedName(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value === '') return void errors.push(required(path));
  const messages = isDns1123Subdomain(value);
  if (messages.length > 0) errors.push(invalid(path, value, messages.join(',')));
  else if (value.split('.').length < 3)
    errors.push(invalid(path, value, 'should be a domain with at least three segments separated by dots'));
}

/** A domain of at least two labels, each of at most 63 characters; a final dot is allowed. */
export function checkFullyQualifiedDomainName(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value === '') return void errors.push(required(path));
  const name = value.endsWith('.') ? value.slice(0, -1) : value;
  const messages = isDns1123Subdomain(name);
  if (messages.length > 0) return void errors.push(invalid(path, name, messages.join(',')));
  const labels = name.split('.');
  if (labels.length < 2)
    return void errors.push(invalid(path, name, 'should be a domain with at least two segments separated by dots'));
  for (const label of labels) {
    const wrong = isDns1123Label(label);
    if (wrong.length > 0) return void errors.push(invalid(path, label, wrong.join(',')));
  }
}
