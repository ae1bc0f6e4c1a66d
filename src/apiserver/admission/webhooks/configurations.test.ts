import { expect, test } from 'vitest';
import { configurationOf, FakeWebhooks, webhookNamed } from '../testing/webhooks.ts';
import { attributesFor } from '../testing/attributes.ts';
import { WebhookConfigurations } from './configurations.ts';

const target = attributesFor('configmaps', { metadata: { name: 'a' } });
const namesIn = (configurations: WebhookConfigurations): string[] =>
  configurations.index.candidates(target).map(({ entry }) => `${entry.index} ${entry.configuration}/${entry.name}`);

test('Webhooks come by the names of their configurations, then as they stand there', () => {
  const configurations = new WebhookConfigurations(new FakeWebhooks().parts);
  configurations.set([
    configurationOf('b', [webhookNamed('one')]),
    configurationOf('a', [webhookNamed('two'), webhookNamed('one')]),
  ]);
  expect(namesIn(configurations)).toEqual(['0 a/two', '1 a/one', '2 b/one']);
});

test('Nothing is made anew while no configuration has changed', () => {
  const hooks = new FakeWebhooks();
  const configurations = new WebhookConfigurations(hooks.parts);
  configurations.set([configurationOf('a', [webhookNamed('one')])]);
  const { index } = configurations;
  configurations.set([configurationOf('a', [webhookNamed('one')])]);
  expect(configurations.index).toBe(index);
  expect(hooks.released).toEqual([]);
});

test('Of webhooks that changed or went, the clients are released; the others keep theirs', () => {
  const hooks = new FakeWebhooks();
  const configurations = new WebhookConfigurations(hooks.parts);
  const kept = configurationOf('b', [webhookNamed('kept')]);
  configurations.set([configurationOf('a', [webhookNamed('old')]), kept, configurationOf('c', [webhookNamed('gone')])]);
  const before = configurations.index.candidates(target).find(({ entry }) => entry.name === 'kept')!.entry;
  configurations.set([configurationOf('a', [webhookNamed('new')], '2'), kept]);
  const after = configurations.index.candidates(target).find(({ entry }) => entry.name === 'kept')!.entry;
  expect(hooks.released).toEqual(['old', 'gone']);
  expect(after.client).toBe(before.client);
  expect(namesIn(configurations)).toEqual(['0 a/new', '1 b/kept']);
});
