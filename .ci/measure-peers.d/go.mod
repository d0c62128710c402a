module voicepool/ci/measure-peers

go 1.26.0

require github.com/gopxl/beep/v2 v2.1.1

require github.com/pkg/errors v0.9.1 // indirect
