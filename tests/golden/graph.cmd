What depends on what, of a job and of a dag.gml alone?
$ stepsim graph scenarios/samples/byteps-even --fold class --merge-ranks
5 nodes and 8 edges of step 7, one node per class; they stand for 690 tasks with 1,605 dependencies. The critical path of 533.1 ms goes through 4 nodes.

Nodes
node        rank  class          tasks        time  on the path  waits for  awaited by
transfer       -  communication    192  2440.60 ms    474.18 ms          2           2
operator       -  compute           66   300.27 ms     57.50 ms          1           1
collective     -  communication    192    15.55 ms      0.41 ms          2           2
copy           -  communication    192    43.53 ms      0.40 ms          2           2
server         -  communication     48           0            -          1           1

What is drawn
- 1,380 tasks outside step 7 are left out; choose others with --steps.
- 775 of 1,605 dependencies are inside one node and not drawn.
$ stepsim graph scenarios/samples/byteps-even/traces/0/0/dag.gml --fold layer --head 3
17 nodes and 46 edges of the whole graph, one node per layer of each rank; they stand for 49 tasks with 63 dependencies.

Nodes
node    rank  class    tasks  time  on the path  waits for  awaited by
layer0     0  compute      3     0            -          1           2
layer1     0  compute      3     0            -          2           3
layer2     0  compute      3     0            -          2           3
- 14 more: --head 17 or --head all

What is drawn
- 17 of 63 dependencies are inside one node and not drawn.
- The input has no times, so there is no critical path.
$ stepsim graph scenarios/samples/byteps-even --merge-ranks
error: --merge-ranks needs a --fold; expected --fold name, layer or class with it
[exit 2]
$ stepsim graph tests/golden/data/cycle.gml
error: tests/golden/data/cycle.gml: the dependencies form a cycle: FW.a -> BW.a -> FW.a; expected a graph without cycles
[exit 1]
$ stepsim graph scenarios/samples/byteps-even -o -.tasks.json
error: -o '-.tasks.json': graph has no task graph; expected .json, .svg, .png, .md, .csv, .xlsx, .sqlite, .parquet, .html, .dot, .gv or .gml
[exit 2]
