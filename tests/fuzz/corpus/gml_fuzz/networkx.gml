Creator "x"
Version 1
graph [
  directed 1
  node [
    id 0
    label "host0.rank0->FW.a&#34;&amp;&#233;"
    avg 1.E-07
    var "_networkx_list_start"
    var "Comm.w"
    k [ a 1 b [ ] ]
  ]
  node [
    id "4294967296"
  ]
  edge [
    source 0
    target "4294967296"
  ]
  edge [
    source 5
    target 0
  ]
]
