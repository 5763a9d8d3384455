import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadWorkspace, type ServiceId, type Workspace } from '../../workspace/index.ts';
import { formats, graphDocument } from './graph.ts';

let root: string;
let workspace: Workspace;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'skein-graph-'));
  writeFileSync(
    join(root, 'workspace.skein.yaml'),
    `name: shop
services:
  - { name: db, agent: process }
  - { name: migrate, kind: job, agent: process, service-dependencies: [{ name: db }] }
  - { name: gen, agent: process }
  - name: api
    agent: process
    service-dependencies: [{ name: migrate }, { name: gen, kind: build }]
`,
  );
  workspace = await loadWorkspace(root);
});

afterEach(() => rmSync(root, { recursive: true }));

const edges = (roots: string[], stage?: 'build' | 'run'): string[] =>
  graphDocument(workspace, roots as ServiceId[], stage).edges.map(
    ({ from, to, kind, wait }) => `${from} ${to} ${kind} ${wait}`,
  );

describe('U-7 the graph', () => {
  test('of all, of what a root needs, of one stage', () => {
    expect(edges([])).toEqual([
      'shop/migrate shop/db runtime ready',
      'shop/api shop/migrate runtime completed',
      'shop/api shop/gen build ready',
    ]);
    expect(edges(['shop/migrate'])).toEqual(['shop/migrate shop/db runtime ready']);
    expect(edges(['shop/api'], 'build')).toEqual(['shop/api shop/gen build ready']);
    expect(graphDocument(workspace, ['shop/gen' as ServiceId], undefined).nodes.map(({ id }) => id)).toEqual([
      'shop/gen',
    ]);
  });

  test('as mermaid and dot', () => {
    const document = graphDocument(workspace, ['shop/migrate' as ServiceId], undefined);
    expect(formats.mermaid(document)).toBe(
      ['flowchart TD', '  s0["shop/db"]', '  s1(["shop/migrate"])', '  s1 -->|ready| s0'].join('\n'),
    );
    expect(formats.dot(document)).toContain('"shop/migrate" -> "shop/db" [label="ready"];');
  });
});
