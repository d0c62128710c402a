module voicepool/ci/timeline-driver

go 1.26.0
