import { describe, expect, test } from 'vitest';
import { randomSource } from '../../../test/support/random.ts';
import { ValueGenerator } from '../../../test/support/random-values.ts';
import { schemas } from '../../../test/support/schemas.ts';
import type { JsonObject } from '../value.ts';
import { createCodecs } from './index.ts';
import { createAttributesScanner } from './attributes-scanner.ts';

const codecs = createCodecs(schemas);
const pods = codecs.of('core/v1.Pod');
const fields = [
  'metadata.name',
  'metadata.namespace',
  'spec.hostNetwork',
  'spec.nodeName',
  'status.phase',
  'status.podIP',
  { name: 'status.podIPs', paths: ['status.podIPs.ip'] },
];
const scan = createAttributesScanner(schemas, 'core/v1.Pod', fields);

describe('index attributes from bytes', () => {
  test('Index attributes from bytes are scanned from the bytes of a pod', () => {
    const attributes = scan(
      pods.encode({
        metadata: { name: 'a', namespace: 'b', labels: { x: '1', y: '2' }, annotations: { z: '3' } },
        spec: { nodeName: 'n1', hostNetwork: true, containers: [{ name: 'c' }] },
        status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
      }),
    );
    expect([attributes.namespace, attributes.name]).toEqual(['b', 'a']);
    expect([...attributes.labels]).toEqual([
      ['x', '1'],
      ['y', '2'],
    ]);
    expect([...attributes.fields]).toEqual([
      ['spec.hostNetwork', 'true'],
      ['spec.nodeName', 'n1'],
      ['status.phase', 'Running'],
      ['status.podIP', ''],
      ['status.podIPs', '10.0.0.1'],
    ]);
    expect(attributes.fields.get('spec.nodeName')).toBe('n1');
    expect(attributes.fields.get('metadata.name')).toBeUndefined();
  });

  test('Index attributes of the bytes of an object without anything are empty', () => {
    const attributes = scan(pods.encode({}));
    expect([
      attributes.namespace,
      attributes.name,
      [...attributes.labels],
      attributes.fields.get('spec.hostNetwork'),
      attributes.fields.get('status.phase'),
    ]).toEqual(['', '', [], 'false', '']);
    expect(scan(Buffer.alloc(0)).name).toBe('');
  });

  test('Index attributes are numbers and the first path that is not empty, if the type has it', () => {
    const job = createAttributesScanner(schemas, 'batch/v1.Job', [
      { name: 'status.successful', paths: ['status.succeeded'] },
      'status.nothing',
      'spec.template',
    ]);
    expect([...job(codecs.of('batch/v1.Job').encode({ status: { succeeded: 300 } })).fields]).toEqual([
      ['status.successful', '300'],
      ['status.nothing', ''],
      ['spec.template', ''],
    ]);
    expect(job(Buffer.alloc(0)).fields.get('status.successful')).toBe('0');
    const event = createAttributesScanner(schemas, 'core/v1.Event', [
      { name: 'source', paths: ['source.component', 'reportingComponent'] },
      'involvedObject.kind',
    ]);
    expect([
      ...event(codecs.of('core/v1.Event').encode({ reportingComponent: 'r', involvedObject: { kind: 'Pod' } })).fields,
    ]).toEqual([
      ['source', 'r'],
      ['involvedObject.kind', 'Pod'],
    ]);
    expect(
      event(codecs.of('core/v1.Event').encode({ source: { component: 's' }, reportingComponent: 'r' })).fields.get(
        'source',
      ),
    ).toBe('s');
  });

  test('A path through an inlined struct', () => {
    const volumes = createAttributesScanner(schemas, 'core/v1.PersistentVolume', [
      'spec.nfs.server',
      'spec.volumeName',
    ]);
    expect(
      volumes(codecs.of('core/v1.PersistentVolume').encode({ spec: { nfs: { server: 's', path: '/' } } })).fields.get(
        'spec.nfs.server',
      ),
    ).toBe('s');
  });

  test('Index texts that many objects have are one string, names are not kept', () => {
    const bytes = (name: string): Buffer =>
      pods.encode({ metadata: { name, namespace: 'the-namespace' }, spec: { nodeName: 'ünïcode' } });
    expect([scan(bytes('a')).namespace, scan(bytes('b')).namespace]).toEqual(['the-namespace', 'the-namespace']);
    expect(scan(bytes('a')).fields.get('spec.nodeName')).toBe('ünïcode');
  });

  test('Index attributes from bytes are scanned from an object with many labels', () => {
    const labels = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`label-${String(i).padStart(3, '0')}`, String(i)]),
    );
    expect(Object.fromEntries(scan(pods.encode({ metadata: { labels } })).labels)).toEqual(labels);
  });

  test.each(['0a05 0a01', '0a03 0a0561', '1203 520561', '0a02 5a05', '0aff'])(
    'Bytes that are cut off are refused: %s',
    (text) => {
      expect(() => scan(Buffer.from(text.replace(/ /g, ''), 'hex'))).toThrow(
        expect.objectContaining({ name: 'DecodeError' }),
      );
    },
  );
});

describe('attributes say what decoding says', () => {
  const kinds = schemas.packages.flatMap(({ name }) =>
    schemas
      .typesOf(name)
      .map((type) => (type.includes('.') ? type : `${name}.${type}`))
      .filter(
        (id) =>
          schemas.type(id).kind === true &&
          schemas.type(id).fields[0]?.json === 'metadata' &&
          schemas.type(id).fields[0].type === 'meta/v1.ObjectMeta',
      ),
  );

  test('There are many kinds whose attributes say what decoding says', () => {
    expect(kinds.length).toBeGreaterThan(100);
  });

  test('Attributes from bytes equal those of the decoded object for every kind', () => {
    for (const [index, id] of kinds.entries()) {
      const scanKind = createAttributesScanner(schemas, id, ['metadata.uid', 'metadata.generation']);
      const generator = new ValueGenerator(schemas, randomSource(index), (type) => codecs.of(type).empty());
      for (let i = 0; i < 5; i++) {
        const value = generator.struct(id);
        const { name, namespace, labels, uid, generation } = value['metadata'] as JsonObject;
        const attributes = scanKind(codecs.of(id).encode(value));
        expect(
          [
            attributes.name,
            attributes.namespace,
            Object.fromEntries(attributes.labels),
            attributes.fields.get('metadata.uid'),
            attributes.fields.get('metadata.generation'),
          ],
          id,
        ).toEqual([name ?? '', namespace ?? '', { ...(labels as object) }, uid ?? '', String(generation ?? 0)]);
      }
    }
  });
});
