/** How a webhook is reached: shared by admission webhooks and by conversion of custom resources. */
import { invalid, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { isDns1123Subdomain } from '../../machinery/formats/names.ts';
import { isPortNumber } from '../../machinery/formats/numbers.ts';

export interface ServiceTarget {
  namespace?: string;
  name?: string;
  path?: string;
  port?: number;
}

export interface WebhookTarget {
  url?: string;
  service?: ServiceTarget;
}

export const defaultWebhookPort = 443;

export function setServiceTargetDefaults(service: { port?: number } | undefined): void {
  if (service !== undefined) service.port ??= defaultWebhookPort;
}

const urlForm = '; desired format: https://host[/path]';

/** Exactly one of an HTTPS URL and a service of the cluster. */
export function checkWebhookTarget({ url, service }: WebhookTarget, path: FieldPath, errors: FieldErrors): void {
  if ((url === undefined) === (service === undefined))
    errors.push(required(path, 'exactly one of url or service is required'));
  else if (url !== undefined) checkWebhookUrl(url, path.child('url'), errors);
  else checkService(service!, path.child('service'), errors);
}

function checkWebhookUrl(text: string, path: FieldPath, errors: FieldErrors): void {
  const { scheme = '', authority = '', query = '', fragment = '' } = urlPattern.exec(text)!.groups!;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (!URL.canParse(`http://${host === '' ? 'h' : host}`))
    return void errors.push(
      required(path, `url must be a valid URL: parse "${text}": invalid character in host name${urlForm}`),
    );
  if (scheme.toLowerCase() !== 'https')
    errors.push(invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${urlForm}`));
  if (host === '') errors.push(invalid(path, '', `host must be specified${urlForm}`));
  if (at >= 0) errors.push(invalid(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
}

/** The parts of a URI reference, RFC 3986, appendix B: every text matches. */
const urlPattern =
  /^(?:(?<scheme>[^:/?#]+):)?(?:\/\/(?<authority>[^/?#]*))?[^?#]*(?:\?(?<query>[^#]*))?(?:#(?<fragment>[\s\S]*))?/;

function checkService(
  { namespace = '', name = '', path: urlPath, port = 0 }: ServiceTarget,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name === '') errors.push(required(path.child('name'), 'service name is required'));
  if (namespace === '') errors.push(required(path.child('namespace'), 'service namespace is required'));
  checkServicePort(port, path.child('port'), errors);
  if (urlPath !== undefined) checkUrlPath(urlPath, path.child('path'), errors);
}

export function checkServicePort(port: number, path: FieldPath, errors: FieldErrors): void {
  const messages = isPortNumber(port);
  if (messages.length > 0) errors.push(invalid(path, port, `port is not valid: ${messages.join(',')}`));
}

/** Segments are subdomains, and a slash may stand at the end. */
function checkUrlPath(text: string, path: FieldPath, errors: FieldErrors): void {
  if (text === '' || text === '/') return;
  if (text === '//') return void errors.push(invalid(path, text, 'segment[0] may not be empty'));
  if (!text.startsWith('/')) errors.push(invalid(path, text, "must start with a '/'"));
  const segments = text.slice(1).replace(/\/$/, '').split('/');
  segments.forEach((segment, i) => {
    if (segment === '') errors.push(invalid(path, text, `segment[${i}] may not be empty`));
    else
      for (const message of isDns1123Subdomain(segment)) errors.push(invalid(path, text, `segment[${i}]: ${message}`));
  });
}
