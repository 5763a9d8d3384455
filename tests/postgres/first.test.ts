import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle, launch } from '../sdk/launch.ts';
import { Database, Workspace, query } from './database.ts';
let entry: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => { entry = await bundle('src/agents/builtin/main.ts'); });
afterAll(() => entry.dispose());
test('x', async () => {
  using workspace = new Workspace();
  await using agent = await launch(entry.file, ['postgres']);
  const db = new Database(agent, workspace);
  let t = performance.now();
  await db.run(); console.log('first', performance.now() - t);
  console.log(db.url, await query(db.url, 'select version(), current_database()'));
  t = performance.now(); await db.stop(); console.log('stop', performance.now() - t);
  t = performance.now(); await db.run(); console.log('again', performance.now() - t);
  await db.stop();
  console.log(db.log(), agent.stderr());
});
