module voicepool

go 1.26.0

require (
	github.com/ebitengine/oto/v3 v3.5.0
	github.com/ebitengine/purego v0.11.3
	github.com/fsnotify/fsnotify v1.10.1
	github.com/gopxl/beep/v2 v2.1.1
	github.com/jfreymuth/pulse v0.1.3
	go.yaml.in/yaml/v4 v4.0.0
	golang.org/x/sys v0.49.0
	pgregory.net/rapid v1.3.0
)

require github.com/pkg/errors v0.9.1 // indirect
