module voicepool/ci/timeline-driver

go 1.25.0
