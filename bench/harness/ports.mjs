// The ports that a measurement uses: a free block before, all answering when somebody says "ready", all free after.
import { connect, createServer } from 'node:net';

/** Below every system's ephemeral range, so that no outgoing connection takes one in the meantime. */
const LOWEST = 18_000;
const HIGHEST = 32_000;

/** The first of `count` ports in a row that are free on 127.0.0.1. */
export async function freeBlock(count) {
  for (let attempt = 0; attempt < 50; attempt++) {
    const first = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST - count));
    if ((await taken(block(first, count))).length === 0) return first;
  }
  throw new Error(`no ${count} free ports in a row between ${LOWEST} and ${HIGHEST}`);
}

export function block(first, count) {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** @returns {Promise<number[]>} those of `ports` that cannot be listened on. */
export async function taken(ports) {
  const free = await Promise.all(ports.map(canListen));
  return ports.filter((_, index) => !free[index]);
}

/** @returns {Promise<number[]>} those of `ports` that refuse a connection. */
export async function refusing(ports) {
  const answers = await Promise.all(ports.map(canConnect));
  return ports.filter((_, index) => !answers[index]);
}

function canListen(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function canConnect(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
