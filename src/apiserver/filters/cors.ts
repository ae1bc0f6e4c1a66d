/** Response headers for browsers: the allowed origins (CORS), and to use TLS only (HSTS). */
import type { ApiResponse, HeaderMap } from '../../server/exchange.ts';
import type { Filter } from '../request/request.ts';

export interface CorsOptions {
  /** `--cors-allowed-origins`: regular expressions; none: no other origin may call. */
  readonly allowedOrigins: readonly string[];
  /** `--strict-transport-security-directives` */
  readonly transportSecurity: readonly string[];
}

const corsHeaders: HeaderMap = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

/**
 * @see {@link https://fetch.spec.whatwg.org/#http-cors-protocol | CORS protocol}: a preflight carries no credentials,
 *   so it is answered before authentication.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6797#section-6.1 | RFC 6797, section 6.1}
 */
export function cors({ allowedOrigins, transportSecurity }: CorsOptions): Filter {
  const patterns = allowedOrigins.map((pattern) => new RegExp(pattern));
  const always: HeaderMap =
    transportSecurity.length === 0 ? {} : { 'strict-transport-security': transportSecurity.join('; ') };
  if (patterns.length === 0 && transportSecurity.length === 0) return (request, next) => next();
  return async (request, next) => {
    const origin = patterns.length === 0 ? undefined : request.header('origin');
    if (origin === undefined || !patterns.some((pattern) => pattern.test(origin)))
      return withHeaders(await next(), always);
    const headers = { ...always, ...corsHeaders, 'access-control-allow-origin': origin };
    return request.method === 'OPTIONS' ? { status: 204, headers } : withHeaders(await next(), headers);
  };
}

const withHeaders = (response: ApiResponse, headers: HeaderMap): ApiResponse => ({
  ...response,
  headers: { ...headers, ...response.headers },
});
