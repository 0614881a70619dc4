// Entry point of the page with the libraries of package.json.

import uPlot from 'uplot';
import {start} from './page.js';
import './interactive.css';

start({uPlot});
