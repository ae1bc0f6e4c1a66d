import { schemas } from '../../../../test/support/schemas.ts';
import type { KubeObject, ManagedFieldsEntry } from '../../object-meta.ts';
import type { StatusError } from '../../status.ts';
import { type JsonObject, type JsonValue, type RawJson } from '../../value.ts';
import { createFieldManager, type ApplyRequest, type UpdateRequest } from '../index.ts';
import { withManagers } from '../request.ts';
import { createBuiltInTypes } from '../built-in-types.ts';

export const fieldManager = createFieldManager({ schemas });

export const now = new Date('2024-01-01T00:00:05Z');

/** One object on a server that does nothing but apply and update. */
export class Server {
  object: KubeObject | undefined;
  readonly kind: string;
  readonly typeId: ApplyRequest['typeId'];
  apiVersion = 'v1';
  more: Partial<ApplyRequest & UpdateRequest> = {};

  constructor(kind = 'ConfigMap', typeId: ApplyRequest['typeId'] = `core/v1.${kind}`) {
    this.kind = kind;
    this.typeId = typeId;
  }

  apply(manager: string, config: JsonObject, force = false): this {
    this.object = this.#store(
      fieldManager.apply({ ...this.#base(manager), kind: this.kind, config: this.#configOf(config), force }).object,
    );
    return this;
  }

  update(manager: string, object: JsonObject): this {
    const metadata = { ...this.object?.metadata, ...(object['metadata'] as object) };
    const changed = { ...this.object, ...object, metadata } as KubeObject;
    this.object = this.#store(withManagers(changed, fieldManager.update({ ...this.#base(manager), object: changed })));
    return this;
  }

  get data(): JsonValue | undefined {
    return plain((this.object as unknown as JsonObject)['data']);
  }

  get owners(): Record<string, JsonValue> {
    return Object.fromEntries(
      (this.object!.metadata!.managedFields ?? []).map(({ manager, operation, fieldsV1 }) => [
        `${manager} ${operation}`,
        JSON.parse((fieldsV1 as unknown as RawJson).text) as JsonValue,
      ]),
    );
  }

  entry(manager: string): ManagedFieldsEntry {
    return this.object!.metadata!.managedFields!.find((entry) => entry.manager === manager)!;
  }

  #configOf(config: JsonObject): JsonObject {
    return {
      apiVersion: this.apiVersion,
      kind: this.kind,
      ...config,
      metadata: { name: 'a', ...(config['metadata'] as JsonObject | undefined) },
    };
  }

  #store(object: KubeObject): KubeObject {
    return { ...object, metadata: { ...object.metadata, uid: 'u' } };
  }

  #base(manager: string) {
    return {
      live: this.object,
      manager,
      subresource: '',
      apiVersion: this.apiVersion,
      typeId: this.typeId,
      now,
      ...this.more,
    };
  }
}

export const data = (members: Record<string, JsonValue>): JsonObject => ({ data: members });

/** With prototypes, to compare with literals. */
export function plain(value: JsonValue | undefined): JsonValue | undefined {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as JsonValue);
}

export function failure(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    return error as StatusError;
  }
  throw new Error('did not throw');
}

export const types = createBuiltInTypes(schemas);
