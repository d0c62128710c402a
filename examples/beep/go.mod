module voicepool/examples/beep

go 1.25.0

require (
	github.com/gopxl/beep/v2 v2.1.1
	voicepool v0.0.0
)

require (
	github.com/ebitengine/oto/v3 v3.5.0 // indirect
	github.com/ebitengine/purego v0.11.0 // indirect
	github.com/fsnotify/fsnotify v1.9.0 // indirect
	github.com/jfreymuth/pulse v0.1.3 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace voicepool => ../..
