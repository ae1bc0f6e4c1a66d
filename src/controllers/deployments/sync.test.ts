import { describe, expect, test } from 'vitest';
import type { Deployment, DeploymentSpec, ReplicaSet } from '../../api/gen/types/apps-v1.ts';
import { currentSet, desiredAnnotation, hashLabel, newSetAnnotations, rollbackAnnotation } from './revisions.ts';
import { rolledBack } from './rollback.ts';
import { nextStep, outdatedSets, pauseConditions } from './sync.ts';
import { deployment, nowMs, replicaSet } from './testing/objects.ts';

const revision = 'deployment.kubernetes.io/revision';
const history = 'deployment.kubernetes.io/revision-history';
const rolling: Partial<DeploymentSpec> = { replicas: 3, strategy: { type: 'RollingUpdate' } };

const annotated = <T extends Deployment | ReplicaSet>(object: T, annotations: Record<string, string>): T => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});
const image = (text: string) => ({ metadata: {}, spec: { containers: [{ name: 'c', image: text, resources: {} }] } });
const withImage = (set: ReplicaSet, text: string, hash = ''): ReplicaSet => ({
  ...set,
  spec: {
    ...set.spec!,
    template: { ...image(text), metadata: hash === '' ? {} : { labels: { [hashLabel]: hash } } },
  },
});
const ofRevision = (name: string, number: number, size = 0, facts = {}): ReplicaSet =>
  annotated(replicaSet(name, size, { ...facts }), { [revision]: String(number) });

describe('the next step of a Deployment', () => {
  test.each([
    { name: 'is to roll out', spec: rolling, is: 'roll' },
    { name: 'is to make all pods anew', spec: { replicas: 3, strategy: { type: 'Recreate' } }, is: 'recreate' },
    { name: 'is to scale while it is paused', spec: { ...rolling, paused: true }, is: 'scale' },
    { name: 'is to scale when its size has changed', spec: rolling, desired: 2, is: 'scale' },
    { name: 'is to roll out when its size is the same', spec: rolling, desired: 3, is: 'roll' },
    { name: 'is to go back when that is asked for', spec: rolling, asked: '1', is: 'rollBack' },
    { name: 'is to go back before its new size', spec: rolling, asked: '1', desired: 2, is: 'rollBack' },
    { name: 'is not to go back while it is paused', spec: { ...rolling, paused: true }, asked: '1', is: 'scale' },
  ])('The next step of a Deployment $name', ({ spec, desired, asked, is }) => {
    const object = deployment(spec as Partial<DeploymentSpec>);
    const asking = asked === undefined ? object : annotated(object, { [rollbackAnnotation]: asked });
    const set = replicaSet('a', 2);
    expect(
      nextStep(asking, [desired === undefined ? set : annotated(set, { [desiredAnnotation]: String(desired) })]),
    ).toBe(is);
  });
});

describe('a pause', () => {
  const progressing = (reason: string) => ({ conditions: [{ type: 'Progressing', status: 'True', reason } as never] });
  const deadline = { progressDeadlineSeconds: 600 };
  test.each([
    { name: 'is noted', spec: { ...deadline, paused: true }, reason: 'ReplicaSetUpdated', is: 'DeploymentPaused' },
    { name: 'is noted once', spec: { ...deadline, paused: true }, reason: 'DeploymentPaused', is: undefined },
    { name: 'ends', spec: deadline, reason: 'DeploymentPaused', is: 'DeploymentResumed' },
    { name: 'was not there', spec: deadline, reason: 'NewReplicaSetAvailable', is: undefined },
    {
      name: 'after the deadline is not noted',
      spec: { ...deadline, paused: true },
      reason: 'ProgressDeadlineExceeded',
      is: undefined,
    },
    {
      name: 'without a deadline is not noted',
      spec: { progressDeadlineSeconds: 2 ** 31 - 1, paused: true },
      reason: 'ReplicaSetUpdated',
      is: undefined,
    },
  ])('A pause of a rollout $name', ({ spec, reason, is }) => {
    const conditions = pauseConditions(deployment(spec, progressing(reason)), nowMs);
    expect(conditions?.map((condition) => condition.reason)).toEqual(is === undefined ? undefined : [is]);
  });
});

describe('old ReplicaSets', () => {
  const status = { replicas: 0, observedGeneration: '0' } as never;
  const old = [3, 1, 2].map((number) => ofRevision(`r${number}`, number, 0, { status }));
  const busy = ofRevision('r0', 0, 2);
  const ending = { ...ofRevision('e', 1), metadata: { ...ofRevision('e', 1).metadata, deletionTimestamp: 'x' } };
  test.each([
    { name: 'are all kept without a limit', limit: undefined, sets: old, deleted: [] },
    { name: 'are kept up to the limit', limit: 3, sets: old, deleted: [] },
    { name: 'go by revision', limit: 1, sets: old, deleted: ['r1', 'r2'] },
    { name: 'all go where none is to be kept', limit: 0, sets: old, deleted: ['r1', 'r2', 'r3'] },
    { name: 'with pods stay, and count', limit: 2, sets: [...old, busy], deleted: ['r1'] },
    { name: 'that are being deleted do not count', limit: 3, sets: [...old, ending], deleted: [] },
  ])('Old ReplicaSets $name', ({ limit, sets, deleted }) => {
    const spec = limit === undefined ? {} : { revisionHistoryLimit: limit };
    expect(outdatedSets(deployment(spec), sets).map(({ metadata }) => metadata.name)).toEqual(deleted);
  });
});

describe('going back', () => {
  const sets = [
    withImage(ofRevision('a', 1), 'one', 'h1'),
    withImage(ofRevision('b', 2), 'two', 'h2'),
    withImage(ofRevision('c', 3), 'three', 'h3'),
  ];
  test.each([
    {
      name: 'to a revision',
      asked: '1',
      image: 'one',
      told: 'Normal DeploymentRollback: Rolled back deployment "web" to revision 1',
    },
    {
      name: 'to the one before',
      asked: '0',
      image: 'two',
      told: 'Normal DeploymentRollback: Rolled back deployment "web" to revision 2',
    },
    {
      name: 'to one that is gone',
      asked: '7',
      image: 'three',
      told: 'Warning DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to.',
    },
    {
      name: 'to the one that it has',
      asked: '3',
      image: 'three',
      told:
        'Warning DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as current ' +
        'deployment "web"',
    },
    {
      name: 'when there is no other one',
      asked: '0',
      sets: sets.slice(2),
      image: 'three',
      told: 'Warning DeploymentRollbackRevisionNotFound: Unable to find last revision.',
    },
  ])('A Deployment goes back $name', ({ asked, sets: known = sets, image: expected, told }) => {
    const object = annotated(deployment({ template: image('three') }), { [rollbackAnnotation]: asked, a: 'b' });
    const {
      metadata,
      spec,
      told: [type, reason, message],
    } = rolledBack(object, known);
    expect(metadata.annotations).toEqual({ a: 'b' });
    expect(spec.template).toEqual(image(expected));
    expect(`${type} ${reason}: ${message}`).toBe(told);
  });
});

describe('the ReplicaSet of a template', () => {
  const object = deployment({ template: image('two') });
  test.each([
    { name: 'has the template up to the hash', sets: [withImage(replicaSet('a', 1), 'two', 'h')], is: 'a' },
    { name: 'is missing', sets: [withImage(replicaSet('a', 1), 'one', 'h')], is: undefined },
    {
      name: 'is the oldest of several',
      sets: [withImage(replicaSet('new', 1), 'two'), withImage(replicaSet('old', 1, { age: 5 }), 'two')],
      is: 'old',
    },
  ])('The ReplicaSet of a template $name', ({ sets, is }) => {
    expect(currentSet(object, sets)?.metadata.name).toBe(is);
  });

  test.each([
    { name: 'new', before: {}, number: 4, exists: false, is: { [revision]: '4', note: 'n' } },
    {
      name: 'used again',
      before: { [revision]: '1' },
      number: 4,
      exists: true,
      is: { [revision]: '4', [history]: '1', note: 'n' },
    },
    {
      name: 'used for the third time',
      before: { [revision]: '4', [history]: '1' },
      number: 6,
      exists: true,
      is: { [revision]: '6', [history]: '1,4', note: 'n' },
    },
    {
      name: 'the newest already',
      before: { [revision]: '4' },
      number: 4,
      exists: true,
      is: { [revision]: '4', note: 'n' },
    },
  ])('The revision of a ReplicaSet that is $name', ({ before, number, exists, is }) => {
    const noted = annotated(deployment(rolling), {
      note: 'n',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
    });
    const annotations = newSetAnnotations(noted, before as Record<string, string>, number, exists);
    expect(annotations).toMatchObject(is);
    expect(annotations).not.toHaveProperty(['kubectl.kubernetes.io/last-applied-configuration']);
    if (exists) expect(annotations).toEqual(is);
  });
});
