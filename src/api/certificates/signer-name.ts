/**
 * Names of signers (`example.com/my-signer`) and of the trust bundles that belong to them.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#signers | Signers}
 */
import { invalid, tooLong } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import {
  byteLength,
  type Checker,
  isDns1123Label,
  isDns1123Subdomain,
  maxLabelLength,
  maxSubdomainLength,
} from '../../machinery/formats/names.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { checkRequiredText } from '../meta/checks.ts';

/** Domain, `/`, and what fits a namespace, `.` and a name. */
const maxSignerNameLength = maxSubdomainLength + 1 + maxLabelLength + 1 + maxSubdomainLength;

export function checkSignerName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (!checkRequiredText(name, path, errors)) return;
  const [domain, signer, ...more] = name.split('/');
  if (signer === undefined || more.length > 0)
    return void errors.push(
      invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    );
  if (byteLength(domain!) > maxSubdomainLength) errors.push(tooLong(path, maxSubdomainLength));
  checkFirstBadLabel(domain!, isDns1123Label, path, errors);
  if (!domain!.includes('.'))
    errors.push(invalid(path, domain!, 'should be a domain with at least two segments separated by dots'));
  checkFirstBadLabel(signer, isDns1123Subdomain, path, errors);
  if (byteLength(name) > maxSignerNameLength) errors.push(tooLong(path, maxSignerNameLength));
}

/** One bad label is enough to tell. */
function checkFirstBadLabel(text: string, check: Checker, path: FieldPath, errors: FieldErrors): void {
  for (const label of text.split('.')) {
    const messages = check(label);
    for (const message of messages) errors.push(invalid(path, text, `validating label ${goQuote(label)}: ${message}`));
    if (messages.length > 0) return;
  }
}

/** `signer.example.com:name:bundle` belongs to a signer, a name without colons to none. */
export const isClusterTrustBundleName: Checker = (name) => isDns1123Subdomain(name.slice(name.lastIndexOf(':') + 1));
