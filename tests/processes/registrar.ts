/**
 * A program that registers process groups, all at once, and goes on, for tests to kill: `registrar.mjs <folder> <root>
 * <script>…`. It prints a line of JSON for each group that has printed `up`.
 */
import { Registrar } from '../../src/processes/index.ts';
import { printed, shell } from './fixtures.ts';

/** What it prints of a group. */
export interface Registered {
  /** Position of its script, from 0. */
  readonly index: number;
  readonly pid: number;
  readonly secret: string;
}

const [folder = '', workspaceRoot = '', ...scripts] = process.argv.slice(2);
const registrar = new Registrar(folder);
await Promise.all(
  scripts.map(async (script, index) => {
    const purpose = { kind: 'service', workspace: 'shop', run: 'r1', service: `shop/s${index}` } as const;
    const { process: leader, secret } = await registrar.spawn(shell(script), { workspaceRoot, purpose });
    await printed(leader.stdout, 'up');
    const line: Registered = { index, pid: leader.pid, secret };
    console.log(JSON.stringify(line));
  }),
);
