// Serves a server of standard input and output over Streamable HTTP, with a process of it
// for each session:
//
//	node bridge.mjs COMMAND [ARG]...
//
// The suite can talk to nothing but HTTP. Messages are passed on as they are; what the
// server sends while it answers goes on the stream of the youngest request.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import readline from 'node:readline';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const sessions = new Map();

async function open(command, args) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.on('exit', code => code && console.error(`the server exited with ${code}`));
  const asked = new Set();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: id => sessions.set(id, transport),
  });
  transport.onmessage = message => {
    if (message.method && message.id !== undefined) asked.add(message.id);
    child.stdin.write(JSON.stringify(message) + '\n');
  };
  transport.onclose = () => {
    sessions.delete(transport.sessionId);
    child.stdin.end();
  };
  readline.createInterface({ input: child.stdout }).on('line', line => {
    const message = JSON.parse(line);
    if (!message.method) asked.delete(message.id);
    transport.send(message, { relatedRequestId: message.method ? [...asked].at(-1) : undefined })
      .catch(error => console.error(`not passed on: ${line}: ${error.message}`));
  });
  await transport.start();
  return transport;
}

const server = http.createServer(async (request, response) => {
  const id = request.headers['mcp-session-id'];
  const transport = id === undefined ? await open(process.argv[2], process.argv.slice(3)) : sessions.get(id);
  if (transport) await transport.handleRequest(request, response);
  else response.writeHead(404).end();
});
server.listen(0, 'localhost', () => console.error(`url=http://localhost:${server.address().port}/mcp`));
process.on('SIGINT', () => process.exit());
