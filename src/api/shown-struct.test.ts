import { expect, test } from 'vitest';
import { goIntOrString, shownQuantities, shownStruct, shownStructs } from './shown-struct.ts';

test.each([
  {
    name: 'absent fields as zero values',
    id: 'core/v1.Toleration',
    value: { key: 'a', operator: 'Exists' },
    expected: 'core.Toleration{Key:"a", Operator:"Exists", Value:"", Effect:"", TolerationSeconds:(*int64)(nil)}',
  },
  {
    name: 'what is behind a pointer by its type',
    id: 'core/v1.SeccompProfile',
    value: { type: 'Unconfined', localhostProfile: 'p' },
    expected: 'core.SeccompProfile{Type:"Unconfined", LocalhostProfile:(*string)(0xc000000000)}',
  },
  {
    name: 'structs within',
    id: 'flowcontrol/v1.FlowSchemaSpec',
    value: { priorityLevelConfiguration: { name: 'catch-all' }, matchingPrecedence: 999, rules: [] },
    expected:
      'flowcontrol.FlowSchemaSpec{PriorityLevelConfiguration:flowcontrol.PriorityLevelConfigurationReference' +
      '{Name:"catch-all"}, MatchingPrecedence:999, DistinguisherMethod:(*flowcontrol.FlowDistinguisherMethod)(nil), ' +
      'Rules:[]flowcontrol.PolicyRulesWithSubjects{}}',
  },
  {
    name: 'lists and maps of the types that all groups share',
    id: 'meta/v1.LabelSelector',
    value: { matchLabels: { b: '2', a: '1' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['x'] }] },
    expected:
      'v1.LabelSelector{MatchLabels:map[string]string{"a":"1", "b":"2"}, MatchExpressions:' +
      '[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"k", Operator:"In", Values:[]string{"x"}}}}',
  },
  {
    name: 'JSON of any kind as its bytes',
    id: 'resource/v1beta1.OpaqueDeviceConfiguration',
    value: { driver: 'd', parameters: {} },
    expected:
      'resource.OpaqueDeviceConfiguration{Driver:"d", Parameters:runtime.RawExtension{Raw:[]byte{0x7b, 0x7d}, ' +
      'Object:runtime.Object(nil)}}',
  },
  {
    name: 'times',
    id: 'core/v1.Taint',
    value: { key: 'k', effect: 'NoExecute', timeAdded: '2024-05-01T10:00:00Z' },
    expected:
      'core.Taint{Key:"k", Value:"", Effect:"NoExecute", ' +
      'TimeAdded:time.Date(2024, time.May, 1, 10, 0, 0, 0, time.UTC)}',
  },
  {
    name: 'absent times',
    id: 'core/v1.Taint',
    value: { key: 'k', effect: 'NoExecute' },
    expected: 'core.Taint{Key:"k", Value:"", Effect:"NoExecute", TimeAdded:<nil>}',
  },
  {
    name: 'a value of which the schema has a pointer',
    id: 'apps/v1.RollingUpdateStatefulSetStrategy',
    value: { partition: 2 },
    expected: 'apps.RollingUpdateStatefulSetStrategy{Partition:2, MaxUnavailable:(*intstr.IntOrString)(nil)}',
  },
  {
    name: 'lists of uids',
    id: 'batch/v1.UncountedTerminatedPods',
    value: { succeeded: ['a'] },
    expected: 'batch.UncountedTerminatedPods{Succeeded:[]types.UID{"a"}, Failed:[]types.UID(nil)}',
  },
])('A struct is shown as Go shows it: $name', ({ id, value, expected }) => {
  expect(shownStruct(id, value).text).toBe(expected);
});

test('A list of structs names the type of each', () => {
  expect(shownStructs('core/v1.PodIP', [{ ip: '10.0.0.1' }]).text).toBe('[]core.PodIP{core.PodIP{IP:"10.0.0.1"}}');
  expect(shownStructs('core/v1.PodIP', undefined).text).toBe('[]core.PodIP(nil)');
});

test('A number or text is shown with which of both it is', () => {
  expect(goIntOrString('50%').text).toBe('intstr.IntOrString{Type:1, IntVal:0, StrVal:"50%"}');
  expect(goIntOrString(3).text).toBe('intstr.IntOrString{Type:0, IntVal:3, StrVal:""}');
});

test('A map of quantities is shown by name', () => {
  expect(shownQuantities('core.ResourceList', { storage: '1Gi' }).text).toBe(
    'core.ResourceList{"storage":resource.Quantity{i:resource.int64Amount{value:1073741824, scale:0}, ' +
      'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1Gi", Format:"BinarySI"}}',
  );
});
