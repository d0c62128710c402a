module voicepool/ci/output-recovers-from-faults

go 1.26.0
