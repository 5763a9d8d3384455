// The least that a launcher written in Node can cost: limit.c in Node. Knows the graph, starts each service with a plain
// `spawn` the instant its last dependency reports that it listens, and does nothing else.
//
//   node limit.mjs PLAN FIFO      the plan as limit.c reads it; all services report through the one named pipe
import { spawn } from 'node:child_process';
import { constants, openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';

const [planFile, fifo] = process.argv.slice(2);
const [head, ...rows] = readFileSync(planFile, 'utf8').trimEnd().split('\n');
const [listener, delay, count, firstPort] = head.split(' ');
const dependencies = rows.map((row) => row.split(' ').slice(1).map(Number));
const waiting = dependencies.map((list) => list.length);
const dependents = rows.map(() => []);
for (const [index, list] of dependencies.entries())
  for (const dependency of list) dependents[dependency].push(index);

const pipe = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
const options = { stdio: ['ignore', 'ignore', 'inherit', pipe], env: { REPORT_FD: '3' } };

let ready = 0;
let rest = '';
new Socket({ fd: pipe, writable: false }).setEncoding('latin1').on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    ready++;
    for (const dependent of dependents[Number(line) - Number(firstPort)])
      if (--waiting[dependent] === 0) start(dependent);
  }
  if (ready === Number(count)) process.stdout.write('ready\n');
});
for (const [index, list] of dependencies.entries()) if (list.length === 0) start(index);

function start(index) {
  spawn(listener, [String(Number(firstPort) + index), delay], options);
}
