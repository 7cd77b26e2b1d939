// An MCP server on the official TypeScript SDK, of one of three kinds.
//
// usage: node eras_server.mjs session|stateless|both stdio|http
//
// session is the generation of the SDK that has sessions only. Over HTTP the server prints its
// URL to standard error.

import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { z } from 'zod';

const [kind, way] = process.argv.slice(2);

const add = ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] });
const info = { name: kind, version: '1.0.0' };

// listen serves HTTP and prints the URL.
function listen(handle) {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1', () => console.error(`url=http://127.0.0.1:${server.address().port}/mcp`));
}

async function session() {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const make = () => {
    const server = new McpServer(info);
    server.registerTool('add', { description: 'Adds.', inputSchema: { a: z.number(), b: z.number() } }, add);
    return server;
  };
  if (way === 'stdio') {
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    return make().connect(new StdioServerTransport());
  }
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const sessions = new Map();
  listen(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(id);
    if (!transport && !id) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: id => sessions.set(id, transport),
      });
      await make().connect(transport);
    }
    if (!transport) {
      response.writeHead(404).end();
      return;
    }
    await transport.handleRequest(request, response);
  });
}

async function stateless() {
  const { McpServer, createMcpHandler } = await import('@modelcontextprotocol/server');
  const legacy = kind === 'stateless' ? 'reject' : undefined;
  const make = () => {
    const server = new McpServer(info);
    server.registerTool('add', { description: 'Adds.', inputSchema: z.object({ a: z.number(), b: z.number() }) }, add);
    return server;
  };
  if (way === 'stdio') {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    return serveStdio(make, { legacy });
  }
  const handler = createMcpHandler(make, { legacy });
  listen(async (request, response) => {
    const body = request.method === 'POST' ? Readable.toWeb(request) : undefined;
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method, headers: request.headers, body, duplex: 'half', signal: gone.signal,
    }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) Readable.fromWeb(answer.body).pipe(response);
    else response.end();
  });
}

await (kind === 'session' ? session() : stateless());
