module voicepool/ci/output-recovers-from-faults

go 1.26.0

require voicepool v0.0.0

replace voicepool => ../..
