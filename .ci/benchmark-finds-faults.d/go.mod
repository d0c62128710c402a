module voicepool/ci/benchmark-finds-faults

go 1.26.0
