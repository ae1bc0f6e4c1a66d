/** The files of configMap, secret, downwardAPI and projected volumes, from the objects they show. Pure. */
import type { ConfigMap, DownwardAPIVolumeFile, KeyToPath, Pod, Secret } from '../../../api/gen/types/core-v1.ts';
import { fieldValue, type PodAddresses, resourceValue } from '../../pods/config/downward.ts';
import type { PayloadFile } from '../atomic-writer.ts';
import { VolumeError } from '../volumes.ts';

export interface PayloadOptions {
  /** Permissions of files that name none. */
  readonly defaultMode: number;
  readonly isOptional: boolean;
}

/** Path and content. */
export type Files = [string, PayloadFile][];

export const configMapFiles = (
  map: ConfigMap | undefined,
  items: readonly KeyToPath[] | undefined,
  options: PayloadOptions,
): Files => {
  const data = new Map<string, Uint8Array>([
    ...Object.entries(map?.data ?? {}).map(([key, text]): [string, Uint8Array] => [key, Buffer.from(text)]),
    ...Object.entries(map?.binaryData ?? {}).map(([key, text]): [string, Uint8Array] => [
      key,
      Buffer.from(text, 'base64'),
    ]),
  ]);
  return chosen(data, items, options, (key) => `configmap references non-existent config key: ${key}`);
};

export const secretFiles = (
  secret: Secret | undefined,
  items: readonly KeyToPath[] | undefined,
  options: PayloadOptions,
): Files => {
  const entries = Object.entries(secret?.data ?? {});
  const data = new Map(entries.map(([key, text]): [string, Uint8Array] => [key, Buffer.from(text, 'base64')]));
  return chosen(data, items, options, (key) => `references non-existent secret key: ${key}`);
};

function chosen(
  data: ReadonlyMap<string, Uint8Array>,
  items: readonly KeyToPath[] | undefined,
  { defaultMode, isOptional }: PayloadOptions,
  missing: (key: string) => string,
): Files {
  if (items === undefined || items.length === 0)
    return [...data].map(([key, content]) => [key, { data: content, mode: defaultMode }]);
  return items.flatMap(({ key = '', path = '', mode }): Files => {
    const content = data.get(key);
    if (content !== undefined) return [[path, { data: content, mode: mode ?? defaultMode }]];
    if (isOptional) return [];
    throw new VolumeError(missing(key));
  });
}

export function downwardFiles(
  items: readonly DownwardAPIVolumeFile[] | undefined,
  pod: Pod,
  addresses: PodAddresses,
  allocatable: Readonly<Record<string, string>>,
  defaultMode: number,
): Files {
  return (items ?? []).map(({ path = '', fieldRef, resourceFieldRef, mode }) => {
    const text =
      fieldRef === undefined
        ? resourceValue(resourceFieldRef ?? {}, pod, undefined, allocatable)
        : fieldValue(fieldRef.fieldPath ?? '', pod, addresses);
    if (text === undefined) throw new VolumeError(`unsupported fieldPath: ${fieldRef?.fieldPath}`);
    return [path, { data: Buffer.from(text), mode: mode ?? defaultMode }];
  });
}
