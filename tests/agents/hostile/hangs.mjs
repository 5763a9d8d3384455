#!/usr/bin/env node
// Never answers the method that its first argument names.
import { never, serve, variant } from './speak.mjs';

await serve({ methods: { [variant]: never } });
