import type { PullPolicy } from '../../gen/types/core-v1.ts';
import { notSupported } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { checkRequiredText } from '../../meta/checks.ts';
import { imageTag } from './image-name.ts';

const policies = ['Always', 'IfNotPresent', 'Never'];

export function checkPullPolicy(policy: PullPolicy | undefined, path: FieldPath, errors: FieldErrors): void {
  if (policy !== undefined && policies.includes(policy)) return;
  if (checkRequiredText(policy, path, errors)) errors.push(notSupported(path, policy, policies));
}

/**
 * An image by tag `latest`, or by no tag at all, is pulled each time.
 * @see {@link https://kubernetes.io/docs/concepts/containers/images/#imagepullpolicy-defaulting | Default image pull
 *   policy}
 */
export const defaultPullPolicy = (image: string): PullPolicy =>
  imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
