/** What exec plugins with `provideClusterInfo` are told of the cluster. */
import { type Fields, fieldsOf, text } from './fields.ts';

/** Where a cluster keeps what exec plugins are told. */
const execExtension = 'client.authentication.k8s.io/exec';

/** `spec.cluster` of an ExecCredential. */
export function execCluster(fields: Fields, ca: string | undefined): Fields {
  const extensions = fields['extensions'];
  const own = (Array.isArray(extensions) ? extensions : [])
    .map(fieldsOf)
    .find((extension) => text(extension, 'name') === execExtension);
  return {
    server: text(fields, 'server'),
    ...(text(fields, 'tls-server-name') === '' ? {} : { 'tls-server-name': text(fields, 'tls-server-name') }),
    ...(fields['insecure-skip-tls-verify'] === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(text(fields, 'proxy-url') === '' ? {} : { 'proxy-url': text(fields, 'proxy-url') }),
    config: own?.['extension'] ?? null,
  };
}
