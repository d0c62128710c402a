module voicepool/ci/testmutants

go 1.26.0
