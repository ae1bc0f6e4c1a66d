import { createMap } from '../../../machinery/value.ts';
import type { Secret } from '../../gen/types/core-v1.ts';

export function setSecretDefaults(secret: Secret): void {
  mergeStringData(secret);
  if ((secret.type ?? '') === '') secret.type = 'Opaque';
}

/** `stringData` is a convenience for writers: it is merged into `data` and is never returned. */
function mergeStringData(secret: Secret): void {
  const { stringData } = secret;
  if (stringData === undefined) return;
  const data = createMap<string>();
  Object.assign(data, secret.data);
  for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(value).toString('base64');
  secret.data = data;
  delete secret.stringData;
}
