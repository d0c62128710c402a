module mutants

go 1.25.0
