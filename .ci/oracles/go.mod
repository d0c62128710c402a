module voicepool/ci/oracles

go 1.26.0

require voicepool v0.0.0

require gonum.org/v1/gonum v0.17.0

replace voicepool => ../..
