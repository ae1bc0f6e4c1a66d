import { expect, test } from 'vitest';
import { goStruct } from './go-quote.ts';

test.each([
  { name: 'a struct', type: 'core.ServicePort', value: { port: 80 }, shown: 'core.ServicePort{"port":80}' },
  { name: 'nothing', type: 'core.ServicePort', value: undefined, shown: 'core.ServicePort{}' },
  { name: 'a number', type: 'core.Port', value: 5n, shown: 'core.Port{5}' },
  {
    name: 'a list of texts',
    type: '[]core.ResourceQuotaScope',
    value: ['BestEffort', 'Terminating'],
    shown: '[]core.ResourceQuotaScope{"BestEffort", "Terminating"}',
  },
  {
    name: 'a list of structs',
    type: '[]core.ContainerResizePolicy',
    value: [{ resourceName: 'cpu' }],
    shown: '[]core.ContainerResizePolicy{{"resourceName":"cpu"}}',
  },
  { name: 'an empty list', type: '[]core.ResourceQuotaScope', value: [], shown: '[]core.ResourceQuotaScope{}' },
])('$name in Go syntax', ({ type, value, shown }) => {
  expect(goStruct(type, value).text).toBe(shown);
});
