module voicepool/ci/service-bears-load

go 1.26.0

require github.com/coder/websocket v1.8.15

require voicepool v0.0.0

replace voicepool => ../..
