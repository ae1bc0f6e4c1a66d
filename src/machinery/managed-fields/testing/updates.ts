import { schemas } from '../../../../test/support/schemas.ts';
import type { KubeObject, ManagedFieldsEntry } from '../../object-meta.ts';
import type { RawJson } from '../../value.ts';
import { type JsonObject, type JsonValue } from '../../value.ts';
import { createFieldManager, type UpdateRequest } from '../index.ts';
import { withManagers } from '../request.ts';

export const fieldManager = createFieldManager({ schemas });

export const second = (n: number): Date => new Date(Date.UTC(2024, 0, 1, 0, 0, n));

export const timeOf = (n: number): string => second(n).toISOString().replace('.000Z', 'Z');

export type ConfigMap = KubeObject & { data?: Record<string, string> };

export const configMap = (data?: Record<string, string>, metadata: KubeObject['metadata'] = {}): ConfigMap => ({
  metadata: { name: 'a', ...metadata },
  ...(data && { data }),
});

export function update(request: Partial<UpdateRequest> & Pick<UpdateRequest, 'object'>): ConfigMap {
  return withManagers(
    request.object,
    fieldManager.update({
      live: undefined,
      manager: 'm',
      subresource: '',
      apiVersion: 'v1',
      typeId: 'core/v1.ConfigMap',
      now: second(0),
      ...request,
    }),
  );
}

/** As the server keeps it: with an identity. */
export const stored = (object: ConfigMap): ConfigMap => ({
  ...object,
  metadata: { ...object.metadata, uid: 'u', resourceVersion: '1' },
});

export const changed = (live: ConfigMap, data: Record<string, string>): ConfigMap => ({ ...live, data });

export const fieldsOf = ({ fieldsV1 }: ManagedFieldsEntry): JsonValue =>
  JSON.parse((fieldsV1 as unknown as RawJson).text) as JsonValue;

export const entries = (object: KubeObject) =>
  object.metadata?.managedFields?.map(
    (entry) => JSON.parse(JSON.stringify({ ...entry, fieldsV1: fieldsOf(entry) })) as unknown,
  );

export const entry = (manager: string, fieldsV1: JsonObject, more: Partial<ManagedFieldsEntry> = {}) => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: timeOf(0),
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});
