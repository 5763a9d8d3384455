/** Acceptance: the shop of the fixtures, from the command to a page with rows of the database, and down again. */
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { copiedFixture } from '../support/copied-fixture.ts';
import type { Document } from '../support/running-command.ts';
import { Site } from '../support/site.ts';

const all = ['shop/db', 'shop/migrate', 'shop/catalog', 'shop/api', 'shop/storefront'];

test('the shop comes up, serves a page from its database, stops in order, and keeps its data', {
  timeout: 240_000,
}, async () => {
  await using fixture = copiedFixture(fileURLToPath(new URL('../../fixtures/shop', import.meta.url)));
  await using site = new Site({ root: fixture.root });
  const run = ['run', '--detach', '--wait', '--temporary-ports'];

  const first = await site.skein(...run);
  expect(first, first.stderr).toMatchObject({ status: 0 });
  for (const id of all) expect(first.stdout).toContain(id);
  expect(first.stdout.match(/ready after [\d.]+ m?s/g)?.length).toBeGreaterThanOrEqual(all.length - 1);
  expect(first.stdout).toMatch(/shop\/storefront\/web at http:\/\/127\.0\.0\.1:\d+/);

  const status = await site.json('status');
  expectStatus(status, site.root);
  const services = await site.services();
  const endpoints = [...services.values()].flatMap(({ endpoints }) => endpoints as Document[]);
  const page = await (await fetch(await site.url('shop/storefront'))).text();
  for (const row of ['WOOL-RED', 'WOOL-BLUE', 'NEEDLE-4']) expect(page).toContain(row);
  const visits = visitNumber(page);

  const { stdout, status: stopped } = await site.skein('stop', '--json');
  expect(stopped).toBe(0);
  expectReceipt(JSON.parse(stdout) as Document);
  site.expectNothingLeft();
  for (const { address } of endpoints) expect(await answers(String(address))).toBe(false);

  const second = await site.skein(...run);
  expect(second, second.stderr).toMatchObject({ status: 0 });
  expect(visitNumber(await (await fetch(await site.url('shop/storefront'))).text())).toBe(visits + 1);
  expect((await site.skein('stop')).status).toBe(0);
  site.expectNothingLeft();
});

function expectStatus(status: Document, root: string): void {
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
  expect(status).toMatchObject({
    workspace: 'shop',
    root,
    run: expect.any(String),
    mode: 'run',
    state: 'ready',
    startedAt: time,
    readyAt: time,
  });
  const services = status['services'] as Document[];
  expect(services.map(({ id }) => String(id)).toSorted()).toEqual(all.toSorted());
  for (const service of services) {
    const job = service['id'] === 'shop/migrate';
    expect(service).toMatchObject({
      kind: job ? 'job' : 'service',
      agent: service['id'] === 'shop/db' ? 'skein/postgres' : 'skein/process',
      state: job ? 'completed' : 'running',
      ready: true,
      pid: job ? null : expect.any(Number),
      restarts: 0,
      exit: job ? { code: 0, signal: null } : null,
      startedAt: time,
      timeToReadyMs: expect.any(Number),
      waitingFor: null,
    });
    for (const endpoint of service['endpoints'] as Document[])
      expect(endpoint).toMatchObject({
        id: expect.stringMatching(/^shop\/[a-z]+\/[a-z]+$/),
        address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        ready: true,
        predicate: expect.any(String),
        lastError: null,
      });
  }
}

function expectReceipt(receipt: Document): void {
  expect(receipt).toMatchObject({ operation: 'stop', layers: 5 });
  const resources = receipt['resources'] as Document[];
  expect(resources.map(({ id, layer }) => [id, layer])).toEqual([
    ['shop/storefront', 0],
    ['shop/api', 1],
    ['shop/catalog', 2],
    ['shop/migrate', 3],
    ['shop/db', 4],
  ]);
  for (const resource of resources)
    expect(resource).toMatchObject({ outcome: 'stopped', durationMs: expect.any(Number), error: null });
}

function visitNumber(page: string): number {
  return Number(/Visit number (\d+)/.exec(page)?.[1]);
}

/** Whether somebody accepts a connection there. */
function answers(address: string): Promise<boolean> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect(Number(port), host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
