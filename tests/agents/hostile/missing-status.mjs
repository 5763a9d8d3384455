#!/usr/bin/env node
// Answers without a status, or with one that says nothing.
import { serve } from './speak.mjs';

await serve({ methods: { load: () => ({}), init: () => ({ status: {} }) } });
