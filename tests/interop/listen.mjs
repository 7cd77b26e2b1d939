// Loaded before a server (node --import), this has it listen on a free port of the loopback
// interface instead of the port it asks for, and say which that is.

import net from 'node:net';

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (...args) {
  this.once('listening', () => console.error(`listening on 127.0.0.1:${this.address().port}`));
  return listen.call(this, { host: '127.0.0.1', port: 0 }, args.findLast(arg => typeof arg === 'function'));
};
