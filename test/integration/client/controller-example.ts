import { changesOf, Controller, createClient, Informer, loadKubeconfig } from '../../../src/client/index.ts';

type Greeting = { kind: string; spec: { name: string }; status?: { text: string } };

const client = createClient(await loadKubeconfig());
const greetings = client.dynamic<Greeting>({ group: 'example.com', version: 'v1', resource: 'greetings' });
const informer = new Informer({ source: greetings.source(), log: console });
const controller = new Controller({
  triggers: [changesOf(informer)],
  workers: 4,
  onFailure: (key, error) => console.error(`${key} is tried again`, error),
  async sync(key, signal) {
    const greeting = informer.objects.get(key);
    if (greeting === undefined) return;
    const [namespace, name] = key.split('/') as [string, string];
    const text = `Hello, ${greeting.spec.name}!`;
    const map = { metadata: { name, namespace }, data: { text } };
    await client.core.v1.configmaps.apply(map, { fieldManager: 'greeter', signal });
    if (greeting.status?.text === text) return;
    const status = greetings.namespace(namespace).subresource('status');
    await status.patch(name, { merge: { status: { text } } }, { signal });
  },
});
informer.start();
controller.start();
export const stop = () => Promise.all([controller.stop(), informer.stop(), client.close()]);
