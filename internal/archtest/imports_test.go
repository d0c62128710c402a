package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows lists the allowed imports of each package of the module, apart from the standard library: packages
// of the module by their folder, others by their path. A path that ends in /... includes everything below it.
// A new import needs a new entry here, with its reason in the commit.
var arrows = table(`
. ->
pcm ->
pool ->
internal/release ->
internal/ring -> internal/release
internal/links ->
internal/leak -> internal/words
internal/whole -> internal/links
internal/sheet/yaml -> go.yaml.in/yaml/v4
cue/report -> internal/words mixer pcm sounds
audiotest -> cue/report device device/wav internal/listening internal/loudness internal/metric/mixes internal/words mixer pcm sounds sounds/library
internal/archtest ->
internal/scenetest ->
internal/lateness ->
internal/loopback -> internal/lateness github.com/jfreymuth/pulse/...
internal/cputime ->
internal/longtest ->
internal/words ->
internal/explain -> cue/report internal/words mixer
internal/expect -> bank/rules cue/report internal/listening internal/sheet/fields internal/sheet/yaml internal/words mixer pcm
internal/dsp -> pcm golang.org/x/sys/cpu
internal/loudness -> pcm internal/dsp
internal/fourier -> pcm
internal/listening -> internal/fourier pcm sounds
internal/stretch ->
internal/schematest ->
internal/subnormal ->
internal/spectrum -> internal/fourier internal/loudness internal/stretch pcm
internal/acoustics -> internal/fourier
internal/metric/zimtohrli -> internal/dsp internal/metric pcm sounds
internal/metric -> pcm sounds
internal/metric/peaq -> internal/fourier internal/metric pcm sounds
internal/metric/mixes -> internal/metric internal/metric/peaq internal/metric/zimtohrli pcm sounds sounds/library
cmd/internal/lab/steal -> pcm internal/fourier internal/loudness sounds voice internal/panning internal/passfilter internal/property
cmd/internal/lab/hear -> internal/metric internal/metric/peaq internal/metric/zimtohrli pcm sounds sounds/library
internal/move -> pcm sounds
internal/panning -> internal/move pcm
internal/property ->
internal/passfilter -> internal/dsp internal/move internal/spectrum pcm internal/property
voice -> pcm internal/dsp internal/spectrum internal/playable sounds internal/move internal/panning internal/passfilter internal/property
effect -> pcm internal/dsp internal/spectrum internal/words effect/internal/compressor effect/internal/delay effect/internal/drive effect/internal/eq effect/internal/reverb effect/internal/width internal/move sounds
effect/internal/compressor -> pcm internal/dsp effect/internal/ramp
effect/internal/delay -> pcm internal/dsp effect/internal/ramp
effect/internal/ramp ->
effect/internal/drive -> pcm internal/dsp effect/internal/ramp
effect/internal/reverb -> effect/internal/ramp internal/dsp pcm
effect/internal/eq -> pcm internal/dsp internal/spectrum effect/internal/ramp
effect/internal/width -> effect/internal/ramp pcm
effect/internal/clicktest ->
mixer -> effect pcm sounds voice pool space internal/hearing internal/spectrum internal/words mixer/internal/batches mixer/internal/busgain mixer/internal/busmix mixer/internal/bustree mixer/internal/callclock mixer/internal/chunk mixer/internal/commandqueue mixer/internal/eventcode mixer/internal/growth mixer/internal/history mixer/internal/masking mixer/internal/master mixer/internal/pendingset mixer/internal/pitchrange mixer/internal/playlist mixer/internal/publish mixer/internal/refiner mixer/internal/score mixer/internal/sleepclock mixer/internal/spatial mixer/internal/successor mixer/internal/victim mixer/internal/voicetable internal/dsp internal/release internal/ring internal/move internal/passfilter internal/property
internal/playable -> pcm internal/dsp internal/spectrum
sounds -> pcm internal/dsp internal/playable internal/spectrum internal/words
sounds/library -> pcm sounds internal/dsp internal/fourier internal/loudness internal/stretch internal/panning golang.org/x/sys/unix sounds/internal/source sounds/internal/wav sounds/internal/flac sounds/internal/mp3 sounds/internal/vorbis sounds/internal/opus sounds/internal/ogg sounds/internal/aiff
sounds/internal/source -> pcm
sounds/internal/blocks -> sounds/internal/source
sounds/internal/wav -> sounds/internal/source sounds/internal/blocks
sounds/internal/aiff -> sounds/internal/source sounds/internal/blocks pcm
sounds/internal/flac -> sounds/internal/source sounds/internal/ogg
sounds/internal/mp3 -> internal/dsp sounds/internal/source pcm
sounds/internal/ogg -> sounds/internal/source
sounds/internal/vorbis -> sounds/internal/source sounds/internal/ogg internal/fourier pcm
sounds/internal/opus -> sounds/internal/source sounds/internal/ogg sounds/internal/opus/entropy sounds/internal/opus/silk sounds/internal/opus/celt pcm
sounds/internal/opus/entropy ->
sounds/internal/opus/silk -> sounds/internal/opus/entropy
sounds/internal/opus/celt -> sounds/internal/opus/entropy internal/fourier pcm
sounds/internal/wave -> pcm
sounds/tone -> internal/words pcm sounds/library sounds/internal/wave
sounds/watch -> sounds sounds/library github.com/fsnotify/fsnotify
sounds/embedded -> internal/words sounds sounds/library
beepio -> device mixer sounds/library pcm github.com/gopxl/beep/v2
device -> pcm
device/internal/pace -> device pcm
device/internal/native -> github.com/jfreymuth/pulse/proto
device/pulse -> device device/internal/native device/internal/pace internal/words pcm github.com/jfreymuth/pulse/proto
device/null -> device device/internal/pace pcm
device/wav -> device device/internal/pace internal/dsp internal/whole pcm
device/oto -> device device/internal/native device/internal/pace pcm github.com/ebitengine/oto/v3 github.com/ebitengine/purego/... golang.org/x/sys/unix
bank -> bank/rules internal/musicplan internal/sheet/chance internal/sheet/fields internal/sheet/loading internal/sheet/parse internal/sheet/scenes internal/words internal/sheet/yaml mixer pcm sounds sounds/library space
bank/rules -> effect internal/words internal/sheet/yaml mixer pcm sounds sounds/library sounds/tone space
internal/tempo ->
internal/musicplan -> bank/rules internal/tempo pcm
internal/sheet/fields -> internal/words internal/sheet/yaml mixer pcm
internal/sheet/parse -> effect bank/rules internal/sheet/fields internal/words internal/sheet/yaml mixer sounds sounds/library sounds/tone space pcm internal/property
internal/sheet/chance -> bank/rules
internal/sheet/loading -> bank/rules internal/sheet/parse internal/words pcm sounds sounds/library
internal/sheet/scenes -> effect bank/rules mixer pcm sounds
cue -> effect bank/rules cue/report internal/sheet/fields internal/sheet/parse internal/sheet/scenes internal/words internal/sheet/yaml sounds/embedded mixer sounds pcm sounds/tone space internal/property
cue/record -> bank/rules cue effect internal/sheet/fields internal/sheet/parse internal/sheet/yaml mixer pcm space sounds internal/property
cue/play -> bank/rules cue cue/internal/bounds cue/internal/pauseclock cue/internal/runsheet cue/record cue/report effect internal/dsp internal/loudness internal/ring internal/sheet/chance internal/sheet/fields internal/sheet/loading internal/sheet/parse internal/sheet/scenes internal/sheet/yaml internal/words mixer pcm sounds sounds/library internal/property
cue/internal/pauseclock -> pcm
cue/internal/runsheet -> bank/rules cue cue/internal/pauseclock cue/report internal/sheet/chance internal/words mixer pcm
cue/internal/bounds -> bank/rules cue cue/internal/runsheet effect internal/hearing internal/sheet/loading internal/sheet/parse internal/sheet/yaml mixer pcm space sounds internal/passfilter
device/auto -> device device/internal/pace device/oto device/pulse internal/words pcm
device/reader -> device pcm sounds/library internal/panning
device/devicetest -> device internal/leak pcm
space -> internal/words pcm
internal/hearing -> pcm space
mixer/internal/batches -> mixer/internal/commandqueue
mixer/internal/busgain -> pcm
mixer/internal/busmix -> effect internal/dsp internal/spectrum mixer/internal/bustree mixer/internal/master pcm sounds voice internal/move internal/panning internal/passfilter internal/property
mixer/internal/bustree -> internal/words
mixer/internal/callclock -> pcm
mixer/internal/chunk ->
mixer/internal/commandqueue -> internal/release
mixer/internal/eventcode -> internal/ring sounds
mixer/internal/growth ->
mixer/internal/history -> pool
mixer/internal/masking -> internal/spectrum pcm sounds voice
mixer/internal/refiner -> sounds
mixer/internal/pendingset -> mixer/internal/publish pool sounds
mixer/internal/pitchrange -> internal/hearing pcm space sounds voice
mixer/internal/playlist ->
mixer/internal/publish -> internal/release
mixer/internal/master -> pcm internal/dsp internal/loudness mixer/internal/publish
mixer/internal/score -> internal/spectrum mixer/internal/masking mixer/internal/publish mixer/internal/victim sounds voice
mixer/internal/sleepclock -> pcm
mixer/internal/spatial -> internal/hearing mixer/internal/publish space internal/move
mixer/internal/successor -> pool
mixer/internal/victim -> internal/dsp
mixer/internal/voicetable -> pool
cmd/internal/view/meterbar ->
cmd/internal/cluster -> internal/words github.com/nats-io/nats.go/...
cmd/internal/cluster/placement -> cmd/internal/cluster github.com/nats-io/nats.go/... internal/words
cmd/internal/serve/boottime -> golang.org/x/sys/unix
cmd/internal/cluster/natsroom -> cmd/internal/cluster cmd/internal/serve/problemjson cmd/internal/serve/service internal/words github.com/nats-io/nats.go/...
cmd/internal/cluster/roomscmd -> cmd/internal/cluster cmd/internal/cluster/placement cmd/internal/cli/console internal/words
cmd/internal/lab/bench -> effect cmd/internal/cli/catalog cue cue/play device device/wav internal/dsp internal/sheet/loading mixer pcm sounds sounds/library space golang.org/x/perf/...
cmd/internal/cli/console -> bank/rules cmd/internal/view/meterbar cmd/internal/view/cellwidth cmd/internal/view/liveview cue/play mixer internal/words golang.org/x/term
cmd/internal/cli/catalog -> effect bank/rules internal/musicplan cmd/internal/view/meterbar cmd/internal/cli/console cmd/internal/view/figurestyle cue cue/play cue/report internal/words pcm sounds sounds/library sounds/embedded sounds/tone
cmd/internal/view/cellwidth -> github.com/rivo/uniseg
cmd/internal/cli/doctor -> device device/auto device/oto device/pulse internal/lateness internal/words pcm sounds/library sounds/tone golang.org/x/sys/unix
cmd/internal/cli/evidence -> cmd/internal/cli/doctor device device/auto device/pulse internal/lateness internal/loopback internal/words mixer pcm sounds sounds/library sounds/tone
cmd/internal/cli/sheetlen -> bank/rules cmd/internal/cli/console cue cue/play internal/words mixer sounds/library
cmd/internal/view/figurestyle -> github.com/hajimehoshi/bitmapfont/v3 golang.org/x/image/... golang.org/x/text/...
cmd/internal/view/liveview -> cmd/internal/view/meterbar cmd/internal/view/cellwidth cue cue/play cue/report internal/explain internal/words mixer pcm golang.org/x/term
cmd/internal/show/operator -> cmd/internal/cli/console cmd/internal/show/lineproto cmd/internal/view/liveview cmd/internal/show/midi cmd/internal/cli/tmpdir cmd/internal/show/showrun cue cue/play internal/words golang.org/x/sys/unix
cmd/internal/show/lineproto -> cmd/internal/show/showrun internal/words
cmd/internal/serve/room -> effect bank/rules cmd/internal/view/liveview cmd/internal/show/liveplay cmd/internal/show/showrun cmd/internal/view/timeline cue cue/play cue/report device device/auto device/null internal/expect internal/explain internal/listening internal/sheet/loading internal/ring internal/whole internal/words internal/sheet/yaml mixer pcm sounds sounds/library sounds/embedded cmd/internal/cli/checkreport internal/property internal/sheet/fields internal/sheet/parse
cmd/internal/show/showtui -> cmd/internal/view/meterbar cmd/internal/view/cellwidth cmd/internal/show/lineproto cmd/internal/show/showrun internal/words github.com/gdamore/tcell/v2 github.com/rivo/uniseg
cmd/internal/show/showrun -> bank/rules cmd/internal/view/liveview cue cue/play internal/whole internal/words mixer pcm
cmd/internal/show/midi -> cue gitlab.com/gomidi/midi/v2
cmd/internal/show/osc -> cue
cmd/internal/show/qlab -> bank/rules cmd/internal/show/osc cmd/internal/serve/room cmd/internal/show/showrun cue internal/words internal/property mixer
cmd/internal/cli/outfiles -> cmd/internal/cli/console cue internal/links internal/whole internal/words
cmd/internal/serve/problemjson -> cue/report
cmd/internal/serve/board -> cmd/internal/serve/problemjson internal/words
cmd/internal/serve/pipenet ->
cmd/internal/serve/webauth -> cmd/internal/serve/problemjson internal/words golang.org/x/time/rate
cmd/internal/serve/systemd -> github.com/coreos/go-systemd/v22/...
cmd/internal/serve/server -> bank/rules cmd/internal/serve/board cmd/internal/cluster cmd/internal/cluster/placement cmd/internal/cluster/natsroom cmd/internal/cluster/blobstore cmd/internal/serve/webauth cmd/internal/serve/problemjson cmd/internal/show/qlab cmd/internal/serve/room cmd/internal/cli/tmpdir cmd/internal/serve/service cmd/internal/serve/systemd cmd/internal/serve/boottime cue golang.org/x/sys/windows internal/sheet/fields internal/whole internal/words internal/sheet/yaml mixer sounds/library
cmd/internal/serve/service -> bank/rules cmd/internal/serve/problemjson cmd/internal/serve/room cmd/internal/show/showrun cue internal/expect internal/sheet/fields internal/words mixer sounds/library github.com/VictoriaMetrics/metrics github.com/coder/websocket internal/property
cmd/internal/cluster/blobstore -> bank/rules cmd/internal/cluster internal/whole internal/words github.com/nats-io/nats.go/...
cmd/internal/cluster/renderfarm -> cmd/internal/cluster cmd/internal/cluster/placement cmd/internal/cli/console cmd/internal/cluster/blobstore cmd/internal/cli/outfiles cue internal/words github.com/nats-io/nats.go/... golang.org/x/term cmd/internal/cli/tmpdir
cmd/internal/cli/tmpdir -> internal/words
cmd/internal/show/asynclog ->
cmd/internal/show/liveplay -> bank/rules cmd/internal/cli/console cmd/internal/view/liveview cmd/internal/show/osc cmd/internal/cli/outfiles cmd/internal/show/asynclog cmd/internal/view/timeline cue cue/record cue/play cue/report device device/auto device/null device/wav internal/expect internal/listening internal/ring internal/words mixer pcm sounds sounds/library sounds/watch golang.org/x/term cmd/internal/cli/checkreport
cmd/internal/cli/drivers -> cmd/internal/cli/console device/auto device/oto device/pulse internal/words
cmd/internal/cli/checkreport -> bank/rules cue internal/sheet/parse internal/words mixer sounds/library
cmd/internal/serve/remote -> bank/rules cmd/internal/cluster cmd/internal/cli/console cmd/internal/view/liveview cue/report internal/words mixer pcm github.com/coder/websocket github.com/nats-io/nats.go/...
cmd/internal/cli/shell -> sounds/embedded github.com/posener/complete
cmd/internal/cli/flagtype -> bank/rules device/wav internal/words mixer sounds
cmd/internal/view/timeline -> cmd/internal/view/figurestyle cmd/internal/cli/outfiles cue/report internal/explain internal/words mixer pcm golang.org/x/text/...
cmd/internal/lab/policytest -> bank/rules cmd/internal/lab/bench cmd/internal/cli/console cue cue/play cue/report internal/loudness internal/metric/mixes cmd/internal/lab/steal internal/words mixer pcm sounds sounds/library
`)

// table parses arrows.
func table(text string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " ->")
		out[from] = []string{}
		for _, p := range strings.Fields(to) {
			if first, _, _ := strings.Cut(p, "/"); !strings.Contains(first, ".") {
				p = "voicepool/" + p
			}
			out[from] = append(out[from], p)
		}
	}
	return out
}

// free are the folders without restrictions on imports.
var free = []string{"cmd/voicepool", "examples/"}

// quiet are the imports that are not allowed in code of the audio side.
var quiet = []string{"fmt", "log", "os", "time", "reflect", "sync", "syscall", "io", "context"}

// audioSide reports whether a file's code runs inside Render. For the package mixer, TestWalls checks each
// function.
func audioSide(file string) bool {
	dir, name := path.Split(file)
	switch dir {
	case "internal/dsp/", "internal/hearing/", "internal/release/", "internal/ring/":
		return true
	case "sounds/":
		return name == "envelope.go" || name == "stream_buffer.go" // the other files make sounds
	case "voice/", "internal/move/", "internal/panning/", "internal/passfilter/", "internal/playable/", "mixer/internal/batches/", "mixer/internal/busmix/", "mixer/internal/commandqueue/", "mixer/internal/eventcode/", "mixer/internal/growth/", "mixer/internal/masking/", "mixer/internal/master/", "mixer/internal/pendingset/", "mixer/internal/publish/", "mixer/internal/score/", "mixer/internal/spatial/", "mixer/internal/successor/", "mixer/internal/victim/", "mixer/internal/voicetable/", "effect/internal/compressor/", "effect/internal/delay/", "effect/internal/ramp/", "effect/internal/eq/", "effect/internal/width/", "effect/internal/drive/", "effect/internal/reverb/":
		return true
	case "effect/":
		return name == "processor.go" || name == "engine.go"
	case "cue/play/":
		return name == "output.go" || name == "output_meter.go" || name == "freeze.go"
	}
	return false
}

func TestArrows(t *testing.T) {
	seen, drawn := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		if base := path.Base(file); d.IsDir() && base != "." && (base[0] == '.' || base[0] == '_' || base == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() && file != "." && file != "cmd" {
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil {
				return fs.SkipDir // a separate module with its own requirements
			}
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(file)
		seen[dir] = true
		allowed, known := arrows[dir]
		anything := slices.ContainsFunc(free, func(p string) bool { return strings.HasPrefix(dir+"/", p) || strings.HasPrefix(dir, p) })
		if !known && !anything {
			t.Errorf("%s: the package %s has no entry among the arrows", file, dir)
		}
		for _, spec := range f.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			if audioSide(file) && slices.Contains(quiet, p) {
				t.Errorf("%s imports %s, on the audio side", file, p)
			}
			first, _, _ := strings.Cut(p, "/")
			if standard := !strings.Contains(first, ".") && !strings.HasPrefix(p, "voicepool/"); standard || anything {
				continue
			}
			arrow := slices.IndexFunc(allowed, func(a string) bool {
				below, wild := strings.CutSuffix(a, "/...")
				return p == a || wild && (p == below || strings.HasPrefix(p, below+"/"))
			})
			if arrow < 0 {
				t.Errorf("%s imports %s, which is no arrow of the design", file, p)
				continue
			}
			drawn[dir+" -> "+allowed[arrow]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, allowed := range arrows {
		if !seen[dir] {
			t.Errorf("%s has arrows and no files", dir)
		}
		for _, a := range allowed {
			if !drawn[dir+" -> "+a] {
				t.Errorf("the arrow %s -> %s is nobody's", dir, a)
			}
		}
	}
}

// seams are the exported declarations with a type of an internal package, which connects two packages of the module.
// Callers outside cannot name the type.
var seams = []string{
	"sounds: playable.Data",                                                                                                  // package voice reads it, by Sound.Playable
	"voice: move.Move", "voice: move.Spatial", "voice: passfilter.Cutoffs", "voice: passfilter.Values", "voice: property.ID", // package mixer moves them
}

// TestNoInternalTypeIsExported checks that exported declarations have no types of internal packages, except seams.
func TestNoInternalTypeIsExported(t *testing.T) {
	checked := 0
	for dir := range arrows {
		if strings.Contains("/"+dir+"/", "/internal/") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.FileExports(f) // removes unexported fields and methods with their types
			hidden := map[string]bool{}
			for _, spec := range f.Imports {
				p, _ := strconv.Unquote(spec.Path.Value)
				name := path.Base(p)
				if spec.Name != nil {
					name = spec.Name.Name
				}
				hidden[name] = strings.Contains(p, "/internal/")
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					n.Body = nil
				case *ast.ValueSpec:
					n.Values = nil
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && hidden[x.Name] && !slices.Contains(seams, dir+": "+x.Name+"."+n.Sel.Name) {
						t.Errorf("%s: %s.%s is exported", set.Position(n.Pos()), x.Name, n.Sel.Name)
					}
				case *ast.TypeSpec:
					checked++
				}
				return true
			})
		}
	}
	if checked < 50 {
		t.Errorf("%d types were looked at, too few to be all", checked)
	}
}
