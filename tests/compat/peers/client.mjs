// A client on the official TypeScript SDK, in the version that the argument names. It speaks
// over standard input and output, calls all that the server of these tests offers, and
// writes to standard error a line for each call: its name, and what went wrong.
import { writeSync } from 'node:fs';

const [sdk] = process.argv.slice(2);
const { Client } = await import(`${sdk}/client/index.js`);
// Nothing in it is a server's but the name: it sends and receives over standard streams.
const { StdioServerTransport } = await import(`${sdk}/server/stdio.js`);
const types = await import(`${sdk}/types.js`);

const capabilities = { roots: { listChanged: true }, sampling: {} };
if (types.ElicitRequestSchema) capabilities.elicitation = {};

const client = new Client({ name: 'typescript', version: '1.0.0' }, { capabilities });
client.setRequestHandler(types.ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a', name: 'a' }] }));
client.setRequestHandler(types.CreateMessageRequestSchema, () => ({
  model: 'm', role: 'assistant', content: { type: 'text', text: 'said' },
}));
if (types.ElicitRequestSchema) {
  client.setRequestHandler(types.ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada', colour: 'r', size: 'S', age: 3 } }));
}
client.setNotificationHandler(types.LoggingMessageNotificationSchema, () => {});

const transport = new StdioServerTransport();
await client.connect(transport);

async function attempt(name, call) {
  try {
    await call();
    writeSync(2, `${name}: ok\n`);
  } catch (error) {
    writeSync(2, `${name}: ${String(error.message).replaceAll('\n', ' ').slice(0, 300)}\n`);
  }
}

await attempt('tools/list', () => client.listTools());
await attempt('prompts/list', () => client.listPrompts());
await attempt('resources/list', () => client.listResources());
await attempt('resources/templates/list', () => client.listResourceTemplates());
await attempt('prompts/get', () => client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } }));
await attempt('resources/read', () => client.readResource({ uri: 'file:///r' }));
await attempt('resources/subscribe', () => client.subscribeResource({ uri: 'file:///r' }));
await attempt('completion/complete', () => client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'A' } }));
await attempt('logging/setLevel', () => client.setLoggingLevel('debug'));
await attempt('ping', () => client.ping());
for (const name of ['content', 'structured', 'form', 'choices', 'page', 'sample', 'sample_audio', 'sample_tools', 'roots']) {
  await attempt(`tools/call ${name}`, () => client.callTool({ name, arguments: {} }));
}
await attempt('tools/call log', () => client.callTool({ name: 'log', arguments: { level: 'info' } }));
await attempt('tools/call progress', () => client.callTool({ name: 'progress', arguments: {} }, undefined, { onprogress: () => {} }));
process.exit(0);
