module voicepool/ci/soundfaults

go 1.26.0
