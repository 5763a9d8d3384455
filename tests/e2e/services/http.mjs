// Answers HTTP on PORT; where GATE names a file, only once that is there. /livez fails from when a file SICK appears, until
// the next start.
import { existsSync, rmSync, watch } from 'node:fs';
import { createServer } from 'node:http';
import { dirname } from 'node:path';

const gate = process.env.GATE;
const sick = process.env.SICK;
if (sick !== undefined) rmSync(sick, { force: true });

function listen() {
  createServer(({ url }, response) => {
    if (url === '/livez' && sick !== undefined && existsSync(sick)) response.statusCode = 503;
    response.end(url === '/healthz' ? 'ok' : 'hello');
  }).listen(Number(process.env.PORT), '127.0.0.1', () => console.log(`listening on ${process.env.PORT}`));
}

function listenWhenOpen() {
  const watcher = watch(dirname(gate), () => {
    if (!existsSync(gate)) return;
    watcher.close();
    listen();
  });
  if (existsSync(gate)) watcher.emit('change');
}

console.log('starting');
if (gate === undefined) listen();
else listenWhenOpen();
