module voicepool/ci/reverb-holds-its-figures

go 1.26.0

require voicepool v0.0.0

require golang.org/x/sys v0.49.0 // indirect

replace voicepool => ../..
