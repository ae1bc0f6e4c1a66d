import { expect, test } from 'vitest';
import { codecs } from '../../api/codecs.ts';
import { schemas } from '../../api/schemas.ts';
import { createPartialReader } from '../../machinery/codec/index.ts';
import type { JsonObject } from '../../machinery/value.ts';
import { pod } from '../testing/objects.ts';
import { keptPodFields } from './kept-pod-fields.ts';

const reader = createPartialReader(schemas, keptPodFields);
const readers: Readonly<Record<string, (whole: JsonObject) => JsonObject>> = {
  protobuf(whole) {
    const { value } = codecs.of('core/v1.Pod').normalize(whole);
    return reader.decode('core/v1.Pod', codecs.of('core/v1.Pod').encode(value));
  },
  JSON(whole) {
    const value = structuredClone(whole);
    reader.prune('core/v1.Pod', value);
    return value;
  },
};

test.each(Object.keys(readers))('A pod in %s is kept without what the scheduler does not read', (encoding) => {
  const { metadata, spec, status } = pod({
    labels: { a: 'b' },
    node: 'n',
    spec: {
      containers: [
        {
          ...{ name: 'c', image: 'i', command: ['run'], env: [{ name: 'A', value: 'B' }] },
          resources: { requests: { cpu: '1' } },
        },
      ],
      volumes: [
        { name: 'config', configMap: { name: 'c' } },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      ] as never,
      tolerations: [{ operator: 'Exists' }],
      hostname: 'h',
    },
    status: { containerStatuses: [{ name: 'c' } as never] },
  });
  const whole = { metadata: { ...metadata, annotations: { long: 'text' } }, spec, status };
  expect(readers[encoding]!(whole as unknown as JsonObject)).toEqual({
    metadata,
    spec: {
      schedulerName: 'default-scheduler',
      nodeName: 'n',
      priority: 0,
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }],
      volumes: [{ name: 'config' }, { name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
    status: { phase: 'Pending' },
  });
});
