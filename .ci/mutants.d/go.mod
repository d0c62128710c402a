module voicepool/ci/mutants

go 1.26.0
