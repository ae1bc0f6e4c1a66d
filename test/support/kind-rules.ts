/** The rules of a kind as writes go through them, without a server: read, default, prepare, validate. */
import { codecs } from '../../src/api/codecs.ts';
import { isGateOn } from '../../src/api/feature-gates.ts';
import { findResource } from '../../src/api/resources.ts';
import { asJson, type KubeObject, metaOf } from '../../src/machinery/object-meta.ts';
import { StatusError } from '../../src/machinery/status.ts';
import { runToEnd } from '../../src/machinery/cooperative-scheduling.ts';
import { definitionOf } from '../../src/registry/resource-definitions.ts';
import { fillSystemFields, prepareForCreate } from '../../src/registry/generic/before-create.ts';
import { prepareForUpdate } from '../../src/registry/generic/before-update.ts';
import type { ResourceRules } from '../../src/registry/generic/resource-rules.ts';
import type { StrategyContext } from '../../src/registry/strategy.ts';

/** What became of a write. The object is as JSON would show it, without metadata that the server makes up. */
export interface Written<T> {
  readonly object: T;
  /** `field: text`, in order; empty when the object may be stored. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface KindOptions {
  readonly now?: Date;
  readonly gates?: Readonly<Record<string, boolean>>;
  readonly allowPrivileged?: boolean;
}

export const testNow = new Date('2026-01-02T03:04:05Z');

/** Objects are read anew at each use, so that no write sees what another did. */
export class KindRules<T> {
  readonly #rules: ResourceRules;
  readonly #typeId: string;
  readonly #version: string;
  readonly #context: StrategyContext;

  constructor(
    apiVersion: string,
    resource: string,
    { now = testNow, gates = {}, allowPrivileged = true }: KindOptions = {},
  ) {
    const info = findResource(apiVersion, resource)!;
    const definition = definitionOf(info.group, resource);
    this.#typeId = info.type;
    this.#version = info.version;
    this.#context = {
      now,
      user: { name: 'tester', groups: [] },
      enabled: (gate) => isGateOn(gate, gates),
      apiVersion,
      allowPrivileged,
    };
    this.#rules = {
      group: info.group,
      resourceName: resource,
      kind: { group: info.group, kind: info.kind },
      namespaced: info.namespaced,
      definition,
      resource: definition.strategy,
      strategyOf: (subresource) =>
        subresource === ''
          ? definition.strategy
          : subresource === 'status'
            ? definition.status!
            : definition.subresources![subresource]!,
    };
  }

  create(json: unknown): Written<T> {
    const object = this.#new(json);
    return this.#write(object, '', (request) => runToEnd(prepareForCreate(object, this.#rules, request)));
  }

  /** Replaces what creating `old` stored. */
  update(old: unknown, json: unknown, subresource = ''): Written<T> {
    return this.#replace(this.stored(old), json, subresource);
  }

  /** Creates `old`, and sends back what a client reads of it after an edit. */
  edit(old: unknown, change: (read: T) => void, subresource = ''): Written<T> {
    const before = this.stored(old);
    const read = this.#shown(before);
    change(read);
    return this.#replace(before, read, subresource);
  }

  /** As it is stored after a create, and its status after its controller has written it. */
  stored(json: unknown): KubeObject {
    const { status } = json as { status?: unknown };
    const object = this.#new(json);
    runToEnd(prepareForCreate(object, this.#rules, this.#request('', [])));
    if (status !== undefined) asJson(object)['status'] = asJson(this.#read(json))['status']!;
    const codec = codecs.of(this.#typeId);
    const stored = codec.decode(codec.encode(asJson(object))) as unknown as KubeObject;
    metaOf(stored).resourceVersion = '1';
    return stored;
  }

  cells(json: unknown): readonly unknown[] {
    return this.#rules.definition.table!.cells(this.#read(json), { now: this.#context.now });
  }

  gracePeriodSeconds(json: unknown, requested: number | undefined): number | undefined {
    return this.#rules.resource.gracePeriodSeconds?.(this.#read(json), requested, this.#context);
  }

  #replace(before: KubeObject, json: unknown, subresource: string): Written<T> {
    const object = this.#read(json);
    const meta = metaOf(object);
    meta.namespace ??= metaOf(before).namespace!;
    meta.resourceVersion ??= '1';
    return this.#write(object, subresource, (request) =>
      runToEnd(prepareForUpdate(object, before, this.#rules, request)),
    );
  }

  #new(json: unknown): KubeObject {
    const object = this.#read(json);
    if (this.#rules.namespaced) metaOf(object).namespace ??= 'default';
    fillSystemFields(object, this.#context.now);
    return object;
  }

  #read(json: unknown): KubeObject {
    const object = codecs.of(this.#typeId).fromJson(JSON.stringify(json)).value as unknown as KubeObject;
    this.#rules.definition.versions?.[this.#version]?.defaults?.(object);
    return object;
  }

  #write(
    object: KubeObject,
    subresource: string,
    prepare: (request: Parameters<typeof prepareForCreate>[2]) => void,
  ): Written<T> {
    const warnings: string[] = [];
    const errors: string[] = [];
    try {
      prepare(this.#request(subresource, warnings));
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 422) throw error;
      errors.push(...(error.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`));
    }
    return { object: this.#shown(object), errors, warnings };
  }

  #shown(object: KubeObject): T {
    return JSON.parse(codecs.of(this.#typeId).toJson(asJson(object)).toString()) as T;
  }

  #request(subresource: string, warnings: string[]): Parameters<typeof prepareForCreate>[2] {
    return {
      namespace: 'default',
      name: '',
      subresource,
      context: this.#context,
      dryRun: false,
      options: {},
      warn: (text) => warnings.push(text) > 0,
    };
  }
}
