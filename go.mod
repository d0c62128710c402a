module voicepool

go 1.25.0

require (
	github.com/alecthomas/kong v1.17.0
	github.com/ebitengine/oto/v3 v3.5.0
	github.com/ebitengine/purego v0.11.0
	github.com/fsnotify/fsnotify v1.9.0
	github.com/gopxl/beep/v2 v2.1.1
	github.com/mewkiz/flac v1.0.14
	github.com/rogpeppe/go-internal v1.15.0
	go.uber.org/goleak v1.3.0
	go.yaml.in/yaml/v4 v4.0.0
	golang.org/x/sys v0.47.0
	golang.org/x/term v0.43.0
	gonum.org/v1/gonum v0.17.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/icza/bitio v1.1.0 // indirect
	github.com/jfreymuth/pulse v0.1.3 // indirect
	github.com/mewkiz/pkg v0.0.0-20250417130911-3f050ff8c56d // indirect
	github.com/mewpkg/term v0.0.0-20241026122259-37a80af23985 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/tools v0.30.0 // indirect
)
