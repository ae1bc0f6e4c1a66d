/** URLs in what a proxied server answers, as they are for clients that reach it through this server. */
import path from 'node:path';

export interface ProxiedPlace {
  /** Path of the proxy, in front of that of the server behind. */
  readonly prefix: string;
  /** Host and port of the server behind. */
  readonly authority: string;
  /** Host and port that the client has asked. */
  readonly requestHost: string;
}

const url = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is;

/** An absolute path on the server behind gets the prefix of the proxy. What leads elsewhere, or is relative, stays. */
export function proxiedUrl(text: string, { prefix, authority, requestHost }: ProxiedPlace): string {
  const [, scheme, host = '', target = '', rest = ''] = url.exec(text) ?? [];
  if ((host !== '' && host !== authority && host !== requestHost) || !target.startsWith('/')) return text;
  const origin = host !== '' && host === requestHost ? `${scheme === undefined ? '' : `${scheme}:`}//${host}` : '';
  if (target.startsWith(prefix)) return `${origin}${target}${rest}`;
  const joined = path.posix.join(prefix, target);
  return `${origin}${joined}${target.endsWith('/') && !joined.endsWith('/') ? '/' : ''}${rest}`;
}
