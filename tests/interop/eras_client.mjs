// Calls a tool with the official TypeScript client, of one of three kinds, and prints the
// revision and the result, or the error, as a JSON object.
//
// usage: node eras_client.mjs session|stateless|both stdio COMMAND [ARG]...
//        node eras_client.mjs session|stateless|both http URL

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [kind, way, target, ...args] = process.argv.slice(2);
const mode = { session: 'legacy', stateless: { pin: '2026-07-28' }, both: 'auto' }[kind];
const client = new Client({ name: kind, version: '1.0.0' }, { versionNegotiation: { mode } });
const transport = way === 'http'
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args, env: process.env, stderr: 'inherit' });
try {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const { content } = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
  const revision = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
  console.log(JSON.stringify({ revision, tools: tools.map(tool => tool.name), text: content[0].text }));
} catch (error) {
  console.log(JSON.stringify({ error: error.message, code: error.code }));
}
await client.close().catch(() => {});
