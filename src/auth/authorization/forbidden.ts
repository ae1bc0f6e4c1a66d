import { goQuote } from '../../machinery/go-quote.ts';
import { forbidden, StatusError } from '../../machinery/status.ts';
import type { AuthorizationAttributes } from './authorizer.ts';

/** 403 with upstream's text: the user, the verb, the resource, the namespace, and the reason where it may be shown. */
export function forbiddenRequest(attributes: AuthorizationAttributes, reason: string): StatusError {
  const { group, resource, name, isResourceRequest } = attributes;
  const why = `${escapeHtml(deed(attributes))}${reason === '' ? '' : `: ${reason}`}`;
  return isResourceRequest
    ? forbidden({ group, resource }, name, why)
    : new StatusError(403, 'Forbidden', `forbidden: ${why}`, {});
}

function deed({
  user,
  verb,
  group,
  namespace,
  resource,
  subresource,
  path,
  isResourceRequest,
}: AuthorizationAttributes): string {
  const cannot = `User ${goQuote(user.name)} cannot ${verb}`;
  if (!isResourceRequest) return `${cannot} path ${goQuote(path)}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return (
    `${cannot} resource ${goQuote(subresource === '' ? resource : `${resource}/${subresource}`)} in API ` +
    `group ${goQuote(group)} ${scope}`
  );
}

/** Names come from the client; an old browser may take the text for a page. */
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
