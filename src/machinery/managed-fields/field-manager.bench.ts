/** What field ownership costs a write of a pod of 2.5 kB, the object every design figure is about. */
import { bench, describe } from 'vitest';
import { schemas } from '../../../test/support/schemas.ts';
import { benchPod } from '../../../test/support/bench-pod.ts';
import { createCodecs } from '../codec/index.ts';
import { asJson, type KubeObject } from '../object-meta.ts';
import { createStrategicMerge } from '../patch/strategic-merge.ts';
import { createMap, type JsonObject } from '../value.ts';
import { createFieldManager, createJsonEncoder } from './index.ts';
import { withManagers } from './request.ts';

const codec = createCodecs(schemas).of('core/v1.Pod');
const fieldManager = createFieldManager({ schemas });
const toEncodedJson = createJsonEncoder(schemas);
const strategic = createStrategicMerge(schemas);
const base = {
  apiVersion: 'v1',
  typeId: 'core/v1.Pod',
  now: new Date(),
  subresource: '',
  manager: 'bench',
  resetFields: [['status']],
};

const submitted = codec.decode(codec.encode(benchPod())) as KubeObject;
const stored = (object: KubeObject): KubeObject =>
  codec.decode(
    codec.encode({ ...object, metadata: { ...object.metadata, uid: 'u' } } as unknown as JsonObject),
  ) as KubeObject;
const created = withManagers(submitted, fieldManager.update({ ...base, live: undefined, object: submitted }));
const [live, same, labelled] = [stored(created), stored(created), stored(created)] as [
  KubeObject,
  KubeObject,
  KubeObject,
];
labelled.metadata!.labels = Object.assign(createMap<string>(), labelled.metadata!.labels, { added: 'label' });

const kubelet = { ...base, subresource: 'status', manager: 'kubelet', resetFields: [] };
const withReady = (object: KubeObject, status: string): KubeObject =>
  ({
    ...object,
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      conditions: [
        { type: 'Ready', status },
        { type: 'Initialized', status: 'True' },
      ],
    },
  }) as KubeObject;
const starting = withReady(live, 'False');
const running = stored(withManagers(starting, fieldManager.update({ ...kubelet, live, object: starting })));
const ready = withReady(stored(running), 'True');
const config = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', labels: { app: 'web', tier: 'front' } },
  spec: benchPod()['spec']!,
};
const liveForm = toEncodedJson(asJson(live), 'core/v1.Pod');

describe('field ownership of a pod', () => {
  bench('create', () => void fieldManager.update({ ...base, live: undefined, object: submitted }));
  let count = 0;
  bench(
    'create of a shape not met before',
    () =>
      void fieldManager.update({
        ...base,
        live: undefined,
        object: { ...submitted, metadata: { ...submitted.metadata, labels: { [`k${count++}`]: 'v' } } },
      }),
  );
  bench('update of one label', () => void fieldManager.update({ ...base, live, object: labelled }));
  bench('update that changes nothing', () => void fieldManager.update({ ...base, live, object: same }));
  bench('status of a running pod', () => void fieldManager.update({ ...kubelet, live: running, object: ready }));
  bench(
    'apply of the same configuration',
    () => void fieldManager.apply({ ...base, live, kind: 'Pod', config, force: true }),
  );
});

describe('patches of a pod', () => {
  bench('JSON encoding of the object', () => void toEncodedJson(asJson(live), 'core/v1.Pod'));
  bench(
    'strategic merge of a condition',
    () =>
      void strategic.apply(liveForm, { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, 'core/v1.Pod'),
  );
});
