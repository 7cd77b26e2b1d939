// An MCP server on the official TypeScript SDK, over standard input and output. Its log, on
// standard error, tells when a call is cancelled.

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'typescript', version: '1.0.0' }, { instructions: 'Try the tools.' });
const text = s => ({ content: [{ type: 'text', text: s }] });

server.registerTool(
  'add',
  {
    description: 'Adds two numbers.',
    inputSchema: { a: z.number(), b: z.number() },
    outputSchema: { sum: z.number() },
  },
  ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
);

server.registerTool('fail', { description: 'Fails.' }, () => ({ ...text('out of order'), isError: true }));

server.registerTool('count', { description: 'Counts.', inputSchema: { to: z.number() } }, async ({ to }, { _meta, sendNotification }) => {
  for (let i = 1; i <= to; i++) {
    await sendNotification({
      method: 'notifications/progress',
      params: { progressToken: _meta.progressToken, progress: i, total: to },
    });
  }
  return text('counted');
});

server.registerTool('wait', { description: 'Waits until it is cancelled.' }, async ({ signal }) => {
  console.error('waiting');
  await new Promise(resolve => signal.addEventListener('abort', resolve));
  console.error(`stopped waiting: ${signal.reason}`);
  return text('never read');
});

// The server asks the client too.
server.registerTool('roots', { description: 'Tells the roots of the client.' }, async () => {
  const { roots } = await server.server.listRoots();
  return text(roots.map(root => root.uri).join(' '));
});

await server.connect(new StdioServerTransport());
