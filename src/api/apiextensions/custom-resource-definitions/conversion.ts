/**
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
 *   | Webhook conversion}
 */
import type { CustomResourceConversion } from '../../gen/types/apiextensions-v1.ts';
import { forbidden, invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { goBytes, goStrings } from '../../../machinery/go-quote.ts';
import { isDns1035Label } from '../../../machinery/formats/names.ts';
import { trustedCertificatesProblem } from '../../../pki/issued-certificate.ts';
import { checkEnum, checkFormat, repeatedAt } from '../../meta/checks.ts';
import { checkWebhookTarget } from '../../meta/webhook-client.ts';

/** Versions of ConversionReview that this server sends. */
const reviewVersions = ['v1', 'v1beta1'];
const needless = 'should not be set when strategy is not set to Webhook';

/** @param old what is stored: a bundle that was bad then may stay so */
export function checkConversion(
  { strategy = '', webhook }: CustomResourceConversion,
  old: CustomResourceConversion | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (strategy === '') errors.push(required(path.child('strategy')));
  else checkEnum(strategy, ['None', 'Webhook'], path.child('strategy'), errors);
  const client = path.child('webhookClientConfig');
  const versions = path.child('conversionReviewVersions');
  if (strategy === 'Webhook') {
    if (webhook?.clientConfig === undefined) errors.push(required(client, 'required when strategy is set to Webhook'));
    else {
      checkWebhookTarget(webhook.clientConfig, client, errors);
      if (bundleProblem(old) === undefined)
        checkBundle(webhook.clientConfig.caBundle, client.child('caBundle'), errors);
    }
    checkReviewVersions(webhook?.conversionReviewVersions ?? [], versions, errors);
    return;
  }
  if (webhook?.clientConfig !== undefined) errors.push(forbidden(client, needless));
  if ((webhook?.conversionReviewVersions?.length ?? 0) > 0) errors.push(forbidden(versions, needless));
}

const problemOf = (bundle: string | undefined): string | undefined =>
  bundle === undefined || bundle === ''
    ? undefined
    : trustedCertificatesProblem(Buffer.from(bundle, 'base64').toString('latin1'));

const bundleProblem = (conversion: CustomResourceConversion | undefined): string | undefined =>
  problemOf(conversion?.webhook?.clientConfig?.caBundle);

function checkBundle(bundle: string | undefined, path: FieldPath, errors: FieldErrors): void {
  const problem = problemOf(bundle);
  if (problem !== undefined)
    errors.push(invalid(path, goBytes(Buffer.from(bundle!, 'base64')), `unable to load root certificates: ${problem}`));
}

function checkReviewVersions(versions: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (versions.length === 0) return void errors.push(required(path));
  const repeated = repeatedAt(versions);
  versions.forEach((version, i) => {
    if (repeated.has(i)) errors.push(invalid(path.index(i), version, 'duplicate version'));
    else checkFormat(isDns1035Label, version, path.index(i), errors);
  });
  if (!versions.some((version) => reviewVersions.includes(version)))
    errors.push(invalid(path, goStrings(versions), `must include at least one of ${reviewVersions.join(', ')}`));
}
