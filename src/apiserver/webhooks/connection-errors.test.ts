import { expect, test } from 'vitest';
import { connectionErrorText } from './connection-errors.ts';

const failed = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`node says ${code}`), { code, ...more });
const address = { host: 'metrics.default.svc', port: 443 };
const dialled = { address: '10.0.0.7', port: 8443 };

test.each<{ name: string; error: unknown; text: string }>([
  {
    name: 'nothing listens',
    error: failed('ECONNREFUSED', dialled),
    text: 'dial tcp 10.0.0.7:8443: connect: connection refused',
  },
  {
    name: 'nothing listens at the last of several addresses',
    error: Object.assign(new AggregateError([failed('ECONNREFUSED'), failed('ECONNREFUSED', dialled)]), {
      code: 'ECONNREFUSED',
    }),
    text: 'dial tcp 10.0.0.7:8443: connect: connection refused',
  },
  {
    name: 'there is no route, and the address is not known',
    error: failed('EHOSTUNREACH'),
    text: 'dial tcp metrics.default.svc:443: connect: no route to host',
  },
  {
    name: 'an IPv6 address does not answer',
    error: failed('ETIMEDOUT', { address: 'fd00::7', port: 443 }),
    text: 'dial tcp [fd00::7]:443: i/o timeout',
  },
  {
    name: 'the name is unknown',
    error: failed('ENOTFOUND'),
    text: 'dial tcp: lookup metrics.default.svc: no such host',
  },
  { name: 'the time is over', error: new DOMException('', 'TimeoutError'), text: 'context deadline exceeded' },
  { name: 'the request is given up', error: new DOMException('', 'AbortError'), text: 'context deadline exceeded' },
  {
    name: 'the authority is unknown',
    error: failed('SELF_SIGNED_CERT_IN_CHAIN'),
    text: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  },
  {
    name: 'the certificate has expired',
    error: failed('CERT_HAS_EXPIRED'),
    text: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  },
  {
    name: 'the certificate is for other names',
    error: failed('ERR_TLS_CERT_ALTNAME_INVALID', {
      host: 'hook.team.svc',
      cert: { subjectaltname: 'DNS:a.example, DNS:b.example, IP Address:10.0.0.7' },
    }),
    text: 'tls: failed to verify certificate: x509: certificate is valid for a.example, b.example, not hook.team.svc',
  },
  {
    name: 'the certificate is for other IP addresses',
    error: failed('ERR_TLS_CERT_ALTNAME_INVALID', {
      host: '10.0.0.8',
      cert: { subjectaltname: 'DNS:a.example, IP Address:10.0.0.7' },
    }),
    text: 'tls: failed to verify certificate: x509: certificate is valid for 10.0.0.7, not 10.0.0.8',
  },
  {
    name: 'the certificate is for no IP address',
    error: failed('ERR_TLS_CERT_ALTNAME_INVALID', { host: '10.0.0.8', cert: { subjectaltname: 'DNS:a.example' } }),
    text:
      'tls: failed to verify certificate: x509: cannot validate certificate for 10.0.0.8 because it ' +
      "doesn't contain any IP SANs",
  },
  {
    name: 'the certificate is for no name',
    error: failed('ERR_TLS_CERT_ALTNAME_INVALID', { host: 'hook.team.svc', cert: {} }),
    text:
      'tls: failed to verify certificate: x509: certificate is not valid for any names, but wanted to match ' +
      'hook.team.svc',
  },
  {
    name: 'the server does not speak TLS',
    error: failed('ERR_SSL_WRONG_VERSION_NUMBER'),
    text: 'tls: first record does not look like a TLS handshake',
  },
  {
    name: 'the connection is not opened in time',
    error: failed('UND_ERR_CONNECT_TIMEOUT'),
    text: 'dial tcp metrics.default.svc:443: i/o timeout',
  },
  { name: 'the connection is ended', error: failed('ECONNRESET'), text: 'EOF' },
  { name: 'the connection is ended before the answer', error: failed('UND_ERR_SOCKET'), text: 'EOF' },
  {
    name: 'the connection is reset',
    error: failed('ECONNRESET', { syscall: 'read' }),
    text: 'read tcp metrics.default.svc:443: read: connection reset by peer',
  },
  { name: 'something else happened', error: failed('EOTHER'), text: 'node says EOTHER' },
  { name: 'no error is thrown', error: 'text', text: 'text' },
])('Says why a server cannot be reached when $name', ({ error, text }) => {
  expect(connectionErrorText(error, address)).toBe(text);
});
