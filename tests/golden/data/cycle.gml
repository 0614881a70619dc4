graph [
  directed 1
  node [ id 0 label "rank0->FW.a" avg 1.0 ]
  node [ id 1 label "rank0->BW.a" avg 2.0 ]
  node [ id 2 label "rank0->UPDATE" avg 0.5 ]
  edge [ source 0 target 1 ]
  edge [ source 1 target 0 ]
  edge [ source 1 target 2 ]
  edge [ source 2 target 0 ]
]
