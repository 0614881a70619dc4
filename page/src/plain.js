// Entry point of the page without libraries.

import {start} from './page.js';

start({});
