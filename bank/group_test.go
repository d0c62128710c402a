package bank_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"weak"

	"pgregory.net/rapid"

	"voicepool/bank"
	"voicepool/bank/rules"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

const grouped = `
voices: 32
master: {limiter: false}
preload: false
groups:
  one: [a, both, crash]
  two: [b, both, song]
sounds:
  a: {file: sfx/a.wav, pan: -1}
  b: {file: sfx/b.wav, pan: -1}
  both: {files: [sfx/c.wav, sfx/a.wav], pick: round, pan: -1}
  crash: {layers: [free, hidden]}
  hidden: sfx/d.wav
  free: sfx/high.wav
  song: {file: sfx/b.wav, then: end}
  end: sfx/d.wav
  extra: {file: sfx/d.wav, max_pitch: 24}
`

// groupBank opens a bank and returns it with its mixer, its folder and its library.
func groupBank(t testing.TB, text string) (*bank.Bank, *mixer.Mixer, *folder, *library.Library) {
	t.Helper()
	fsys, lib := &folder{files: files(text)}, library.NewLibrary(library.Options{Rate: rate})
	b, err := bank.Open(fsys, "sounds.yaml", lib)
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return b, m, fsys, lib
}

// outcomes plays a sound and returns the starts of its voices, such as "a started" or "a unloaded", sorted.
func outcomes(t testing.TB, b *bank.Bank, m *mixer.Mixer, name string) []string {
	t.Helper()
	events := make([]mixer.Event, 256)
	m.Events(events)
	start(t, b, name, bank.Options{})
	render(m, 2000)
	var all []string
	for _, e := range events[:m.Events(events)] {
		switch {
		case e.Kind == mixer.EventStarted:
			all = append(all, e.Sound.Name()+" started")
		case e.Kind == mixer.EventRejected:
			all = append(all, e.Sound.Name()+" "+e.Reason.String())
		}
	}
	slices.Sort(all)
	return all
}

// loadedFiles returns the files in a library, separated by blanks.
func loadedFiles(lib *library.Library) string {
	var all []string
	for _, info := range lib.Infos() {
		all = append(all, info.Name)
	}
	return strings.Join(all, " ")
}

func load(t testing.TB, b *bank.Bank, group string) {
	t.Helper()
	if err := b.LoadGroup(t.Context(), group, nil); err != nil {
		t.Fatal(err)
	}
}

func unload(t testing.TB, b *bank.Bank, group string) {
	t.Helper()
	if err := b.Unload(group); err != nil {
		t.Fatal(err)
	}
}

// TestGroups loads and unloads groups that share sounds and files, and checks which sounds play and which files are in
// the library.
func TestGroups(t *testing.T) {
	b, m, _, lib := groupBank(t, grouped)
	check := func(files string, want map[string]string) {
		t.Helper()
		if got := loadedFiles(lib); got != files {
			t.Errorf("the library has %q, want %q", got, files)
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if got := strings.Join(outcomes(t, b, m, name), ", "); got != want[name] {
				t.Errorf("%s: %s, want %s", name, got, want[name])
			}
		}
	}
	check("d high", map[string]string{
		"a": "a unloaded", "b": "b unloaded", "crash": "d started, high started", "free": "high started", "extra": "d started", "end": "d started", "both": "c unloaded",
	})
	if n := m.Stats().Rejected; n != 3 {
		t.Errorf("%d rejected, want 3", n)
	}
	load(t, b, "one")
	check("a c d high", map[string]string{"a": "a started", "both": "a started", "b": "b unloaded", "song": "b unloaded, d started"}) // the successor of a rejected start is stopped at once
	load(t, b, "two")
	load(t, b, "two")
	check("a b c d high", map[string]string{"b": "b started", "song": "b started, d started", "both": "c started"})
	unload(t, b, "one")
	unload(t, b, "one")
	check("a b c d high", map[string]string{"a": "a unloaded", "both": "a started"})
	unload(t, b, "two")
	check("d high", map[string]string{"b": "b unloaded", "both": "c unloaded"})
}

// TestPreload checks that all groups are loaded by default and can be unloaded.
func TestPreload(t *testing.T) {
	b, m, _, lib := groupBank(t, strings.ReplaceAll(grouped, "preload: false", "preload: true"))
	if got := loadedFiles(lib); got != "a b c d high" {
		t.Errorf("the library has %s", got)
	}
	unload(t, b, "two")
	if got := outcomes(t, b, m, "b"); !slices.Equal(got, []string{"b unloaded"}) {
		t.Errorf("after Unload: %q", got)
	}
	if got := loadedFiles(lib); got != "a c d high" {
		t.Errorf("the library has %s", got)
	}
}

// TestUnloadWhilePlaying checks that voices and scheduled successors of an unloaded group play to their ends.
func TestUnloadWhilePlaying(t *testing.T) {
	b, m, _, _ := groupBank(t, grouped)
	load(t, b, "one")
	load(t, b, "two")
	h, song := start(t, b, "a", bank.Options{}), start(t, b, "song", bank.Options{})
	render(m, 100)
	unload(t, b, "one")
	unload(t, b, "two")
	if got := render(m, 600)[599][0]; got < 0.3 || h.State() != mixer.StatePlaying { // 1/8, and 1/4 in the middle
		t.Errorf("level %v, %v; want both voices", got, h.State())
	}
	render(m, 900)
	if n := m.Stats(); h.State() != mixer.StateEnded || song.State() != mixer.StateEnded || n.Ended != 3 || n.Rejected != 0 {
		t.Errorf("%v, %v, %+v; want 3 voices that ended", h.State(), song.State(), n)
	}
}

// TestGroupErrors checks the errors of LoadGroup and Unload, and that no sound is loaded after them.
func TestGroupErrors(t *testing.T) {
	text := strings.ReplaceAll(grouped, "sfx/c.wav, sfx/a.wav", "sfx/no.wav, sfx/a.wav, sfx/gone.wav")
	b, _, _, lib := groupBank(t, text)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	lines := strings.Split(text, "\n")
	line := 1 + slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "both: {") })
	first, second := strings.Index(lines[line-1], "sfx/no"), strings.Index(lines[line-1], "sfx/gone")
	for _, c := range []struct {
		err   error
		wraps error
		want  string
	}{
		{b.LoadGroup(t.Context(), "thre", nil), bank.ErrName, `bank: unknown name: there is no group "thre"; the nearest is "one"`},
		{b.Unload("tow"), bank.ErrName, `bank: unknown name: there is no group "tow"; the nearest is "two"`},
		{b.LoadGroup(done, "two", nil), context.Canceled, `bank: the group "two" is not loaded: context canceled`},
		{b.LoadGroup(t.Context(), "two", nil), rules.ErrSound, fmt.Sprintf("sounds.yaml:%d:%d: sfx/no.wav: file does not exist\nsounds.yaml:%d:%d: sfx/gone.wav: file does not exist", line, first+1, line, second+1)},
		{b.LoadGroup(t.Context(), "two", nil), fs.ErrNotExist, ""},
	} {
		if !errors.Is(c.err, c.wraps) || c.want != "" && c.err.Error() != c.want {
			t.Errorf("the error is\n%v\nwant\n%s", c.err, c.want)
		}
	}
	if got := loadedFiles(lib); got != "d high" {
		t.Errorf("after the errors the library has %s", got)
	}
}

// TestGroupMemory checks the limit of the memory in LoadGroup, Open and Reload.
func TestGroupMemory(t *testing.T) {
	text := "memory: 1MB\n" + grouped
	fsys := files(text)
	fsys["sfx/b.wav"], fsys["sfx/c.wav"] = tone(100_000, 0.25), tone(200_000, 0.25)
	lib := library.NewLibrary(library.Options{Rate: rate})
	b, err := bank.Open(fsys, "sounds.yaml", lib)
	if err != nil {
		t.Fatal(err)
	}
	load(t, b, "one")
	used := lib.Bytes()
	for range 2 {
		err := b.LoadGroup(t.Context(), "two", nil)
		full, ok := errors.AsType[*bank.MemoryError](err)
		if !ok || full.Group != "two" || full.Used != used || full.Limit != 1e6 || full.Needs < 4*100_000 || full.Needs > 1e6 {
			t.Fatalf("the error is %v: %+v", err, full)
		}
		if want := fmt.Sprintf("bank: the group \"two\" needs at least %.3f MB, with %.3f MB in use; `memory` allows 1.000 MB", float64(full.Needs)/1e6, float64(full.Used)/1e6); err.Error() != want {
			t.Errorf("the error is %q, want %q", err, want)
		}
		if got := loadedFiles(lib); got != "a c d high" {
			t.Errorf("after the error the library has %s", got)
		}
	}
	fsys["sounds.yaml"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "preload: false", "preload: true"))}
	lib = library.NewLibrary(library.Options{Rate: rate})
	_, err = bank.Open(fsys, "sounds.yaml", lib)
	full, ok := errors.AsType[*bank.MemoryError](err)
	if !ok || full.Group != "" || full.Needs <= 1e6 || full.Used != 0 || !strings.HasPrefix(err.Error(), "bank: the sounds to load need at least 1.302 MB, with 0.000 MB in use;") {
		t.Errorf("the error of Open is %v", err)
	}
	if got := loadedFiles(lib); got != "" {
		t.Errorf("after the error of Open the library has %s", got)
	}
	fsys["sounds.yaml"] = &fstest.MapFile{Data: []byte(strings.Replace(grouped, "groups:", "memory: 1MB\ngroups:", 1) + "  large: sfx/b.wav\n")}
	before := b.Rules()
	if _, ok := errors.AsType[*bank.MemoryError](b.Reload()); !ok || b.Rules() != before {
		t.Errorf("Reload takes a file that needs too much memory")
	}
	unload(t, b, "one")
	if err := b.LoadGroup(t.Context(), "two", nil); err == nil { // `both` is in this group, too
		t.Error("the other group is loaded beyond the memory")
	}
}

// sharedFiles is a bank whose group "two" has files of the group "one".
const sharedFiles = `
preload: false
groups: {one: [a, gone], two: [same], three: [a]}
sounds: {a: sfx/a.wav, same: {files: [sfx/a.wav, sfx/b.wav]}, gone: sfx/gone.wav}
`

// TestFailedLoadKeepsFilesOfOthers checks that a failed load of a group removes its new files from the library, but no
// file that another bank has loaded.
func TestFailedLoadKeepsFilesOfOthers(t *testing.T) {
	b, _, fsys, lib := groupBank(t, strings.Replace(sharedFiles, "one: [a, gone]", "one: [a, same, gone]", 1))
	rewrite(fsys, "other.yaml", []byte("sounds: {other: sfx/a.wav}"))
	if _, err := bank.Open(fsys, "other.yaml", lib); err != nil {
		t.Fatal(err)
	}
	if err := b.LoadGroup(t.Context(), "one", nil); !errors.Is(err, rules.ErrSound) {
		t.Errorf("the error is %v", err)
	}
	if got := loadedFiles(lib); got != "a" {
		t.Errorf("after a failed load the library has %q, want the file of the other bank", got)
	}
}

// TestUnloadOfFilesOfALoad unloads a group during the load of a group that shares a file.
func TestUnloadOfFilesOfALoad(t *testing.T) {
	for _, cancels := range []bool{false, true} {
		b, _, _, lib := groupBank(t, sharedFiles)
		load(t, b, "two")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := b.LoadGroup(ctx, "three", func(p bank.LoadProgress) {
			if p.Loaded > 0 {
				unload(t, b, "two")
				if got := loadedFiles(lib); got != "a" {
					t.Errorf("after Unload the library has %q, want the file of the load", got)
				}
				if cancels {
					cancel()
				}
			}
		})
		want := "a"
		if cancels {
			want = ""
		}
		if got := loadedFiles(lib); got != want || (err != nil) != cancels {
			t.Errorf("cancelled %v: %v, and the library has %q, want %q", cancels, err, got, want)
		}
		unload(t, b, "three")
		if got := loadedFiles(lib); got != "" {
			t.Errorf("at the end the library has %q", got)
		}
	}
}

// TestFailedOpenAndReload checks that a failed Open or Reload leaves no new file in the library.
func TestFailedOpenAndReload(t *testing.T) {
	b, _, fsys, lib := groupBank(t, "sounds: {a: sfx/a.wav}")
	rewrite(fsys, "sounds.yaml", []byte("sounds: {a: sfx/a.wav, b: sfx/b.wav, gone: sfx/gone.wav}"))
	if err := b.Reload(); !errors.Is(err, rules.ErrSound) || loadedFiles(lib) != "a" {
		t.Errorf("Reload says %v, and the library has %q", err, loadedFiles(lib))
	}
	lib = library.NewLibrary(library.Options{Rate: rate})
	if _, err := bank.Open(fsys, "sounds.yaml", lib); !errors.Is(err, rules.ErrSound) || loadedFiles(lib) != "" {
		t.Errorf("Open says %v, and the library has %q", err, loadedFiles(lib))
	}
}

// TestMemoryErrorEndsTheLoad checks that a load ends at the first excess of the memory.
func TestMemoryErrorEndsTheLoad(t *testing.T) {
	fsys, names := fstest.MapFS{}, ""
	for i := range 40 {
		fsys[fmt.Sprintf("s%d.wav", i)] = tone(25_000, float32(i+1)/64)
		names += fmt.Sprintf("s%d: s%d.wav, ", i, i)
	}
	fsys["sounds.yaml"] = &fstest.MapFile{Data: []byte("memory: 1MB\nsounds: {" + names + "}")}
	_, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
	full, ok := errors.AsType[*bank.MemoryError](err)
	if !ok || full.Needs < 16*100_000 || full.Needs >= 17*102_000 {
		t.Errorf("the error is %v, want the bytes of 16 sounds of 0.1 MB", err)
	}
}

// TestLoadGroupAfterTheContext checks LoadGroup with a context that has ended: the same result each time.
func TestLoadGroupAfterTheContext(t *testing.T) {
	b, _, _, _ := groupBank(t, sharedFiles)
	load(t, b, "two")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		unknown, loaded, other := b.LoadGroup(ended, "no", nil), b.LoadGroup(ended, "two", nil), b.LoadGroup(ended, "three", nil)
		if !errors.Is(unknown, bank.ErrName) || loaded != nil || !errors.Is(other, context.Canceled) {
			t.Fatalf("an unknown group: %v; a loaded one: %v; another: %v", unknown, loaded, other)
		}
	}
}

// TestUnloadDuringASlowStart unloads the group of a play that is opening a stream. All its voices play.
func TestUnloadDuringASlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := &slow{FS: files("groups: {all: [late, scene, step, music]}\n" + slowly)}
		b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
		if err != nil {
			t.Fatal(err)
		}
		m, err := b.NewMixer()
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		fsys.sleep("sfx/a.wav", false)
		done := make(chan error)
		go func() {
			_, err := b.Play("late", bank.Options{})
			done <- err
		}()
		synctest.Wait()
		unload(t, b, "all")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		render(m, 10)
		if s := m.Stats(); s.Started != 3 || s.Rejected != 0 {
			t.Errorf("%d voices started and %d were rejected, want 3 and 0", s.Started, s.Rejected)
		}
		start(t, b, "late", bank.Options{})
		render(m, 10)
		if s := m.Stats(); s.Rejected == 0 {
			t.Error("a play after Unload is not rejected")
		}
	})
}

// TestReloadFreesEndedPlays checks that a play from before a reload does not keep a sound in memory after Unload.
func TestReloadFreesEndedPlays(t *testing.T) {
	b, m, _, _ := groupBank(t, "groups: {all: [two, a, b]}\nsounds: {a: sfx/a.wav, b: sfx/b.wav, two: {layers: [a, b]}, c: sfx/c.wav}")
	kept := weak.Make(start(t, b, "two", bank.Options{}).Sound())
	render(m, 2000)
	m.Events(make([]mixer.Event, 64))
	if err := b.Reload(); err != nil {
		t.Fatal(err)
	}
	unload(t, b, "all")
	for range 64 { // the records of the mixer are reused
		start(t, b, "c", bank.Options{})
	}
	render(m, 2000)
	m.Events(make([]mixer.Event, 256))
	runtime.GC()
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the unloaded sound is still in memory")
	}
	runtime.KeepAlive(b)
	runtime.KeepAlive(m)
}

// TestGroupProgress checks the counts, the sizes and the goroutine of the progress function.
func TestGroupProgress(t *testing.T) {
	text := strings.Builder{}
	text.WriteString("preload: false\ngroups: {all: [")
	fsys := fstest.MapFS{}
	for i := range 40 {
		fmt.Fprintf(&text, "s%d, ", i)
		fsys[fmt.Sprintf("s%d.wav", i)] = tone(100, float32(i+1)/64)
	}
	text.WriteString("]}\nsounds:\n")
	for i := range 40 {
		fmt.Fprintf(&text, "  s%d: s%d.wav\n", i, i)
	}
	fsys["sounds.yaml"] = &fstest.MapFile{Data: []byte(text.String())}
	lib := library.NewLibrary(library.Options{Rate: rate})
	b, err := bank.Open(fsys, "sounds.yaml", lib)
	if err != nil {
		t.Fatal(err)
	}
	var got []bank.LoadProgress // without a mutex: the race detector finds calls in other goroutines
	if err := b.LoadGroup(t.Context(), "all", func(p bank.LoadProgress) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	one := lib.Bytes() / 40
	want := []bank.LoadProgress{{0, 40, 0}, {16, 40, 16 * one}, {32, 40, 32 * one}, {40, 40, 40 * one}}
	if !slices.Equal(got, want) {
		t.Errorf("the progress is %v, want %v", got, want)
	}
}

// gate is a file system whose sounds wait until the gate is open.
type gate struct {
	*folder
	open chan struct{}
}

func (g gate) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "sfx/") {
		<-g.open
	}
	return g.folder.Open(name)
}

// TestLoadGroupEnds ends a load in the middle: by its context, by Unload, and by a progress function that panics. Each
// time no sound is loaded, and other calls are not held up.
func TestLoadGroupEnds(t *testing.T) {
	text := strings.ReplaceAll(grouped, "  free: sfx/high.wav\n", "  free: {files: [sfx/high.wav, sfx/d.wav]}\n") // all files of the group are open, except two
	for _, end := range []string{"context", "Unload", "panic"} {
		synctest.Test(t, func(t *testing.T) {
			fsys := gate{&folder{files: files(text)}, make(chan struct{}, 8)}
			lib := library.NewLibrary(library.Options{Rate: rate})
			for range 2 {
				fsys.open <- struct{}{}
			}
			b, err := bank.Open(fsys, "sounds.yaml", lib)
			if err != nil {
				t.Fatal(err)
			}
			m, err := b.NewMixer()
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			got := make(chan error, 2)
			go func() {
				defer func() {
					if p := recover(); p != nil {
						got <- fmt.Errorf("panic: %v", p)
					}
				}()
				got <- b.LoadGroup(ctx, "one", func(p bank.LoadProgress) {
					if end == "panic" && p.Loaded > 0 {
						panic("progress")
					}
				})
			}()
			fsys.open <- struct{}{} // the first file
			synctest.Wait()
			if got := outcomes(t, b, m, "a"); !slices.Equal(got, []string{"a unloaded"}) {
				t.Errorf("%s: during the load: %q", end, got)
			}
			want := ""
			switch end {
			case "context":
				cancel()
				want = `bank: the group "one" is not loaded: context canceled`
			case "Unload":
				unload(t, b, "one")
				want = `bank: the group "one" is not loaded: Unload was called: context canceled`
			case "panic":
				want = "panic: progress"
			}
			close(fsys.open)
			if err := <-got; err.Error() != want || end != "panic" && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: the error is %v, want %s", end, err, want)
			}
			if got := outcomes(t, b, m, "a"); loadedFiles(lib) != "d high" || !slices.Equal(got, []string{"a unloaded"}) {
				t.Errorf("%s: the library has %s, and a is %q", end, loadedFiles(lib), got)
			}
			load(t, b, "one")
			if got := outcomes(t, b, m, "a"); !slices.Equal(got, []string{"a started"}) {
				t.Errorf("%s: loaded again: %q", end, got)
			}
		})
	}
}

// TestReloadOfGroups checks that a reload keeps the state of groups, that a new group follows `preload`, and that
// sounds move between groups.
func TestReloadOfGroups(t *testing.T) {
	b, m, fsys, lib := groupBank(t, grouped)
	load(t, b, "one")
	replace := func(old, now string) {
		t.Helper()
		text := strings.Replace(grouped, old, now, 1)
		rewrite(fsys, "sounds.yaml", []byte(text))
		if err := b.Reload(); err != nil {
			t.Fatal(err)
		}
	}
	replace("  one: [a, both, crash]", "  one: [both, crash, b]\n  three: [a]")
	if got := strings.Join(slices.Concat(outcomes(t, b, m, "a"), outcomes(t, b, m, "b"), outcomes(t, b, m, "both")), ", "); got != "a unloaded, b started, c started" {
		t.Errorf("with another group: %s", got)
	}
	replace("  one: [a, both, crash]", "  one: [both]\n  four: [a]\n  three: [extra]")
	if got := loadedFiles(lib); got != "a c d high" {
		t.Errorf("with fewer sounds the library has %s", got)
	}
	replace("groups:\n  one: [a, both, crash]\n  two: [b, both, song]", "")
	if got := loadedFiles(lib); got != "a b c d high" {
		t.Errorf("without groups the library has %s", got)
	}
	if err := b.Unload("one"); !errors.Is(err, bank.ErrName) || err.Error() != `bank: unknown name: there is no group "one"; the bank has none` {
		t.Errorf("Unload of a removed group says %v", err)
	}
}

// TestGroupOfMusic checks that a group with a theme loads its segments and stingers, and the error of a theme that is
// not loaded.
func TestGroupOfMusic(t *testing.T) {
	const text = `
master: {limiter: false}
preload: false
groups: {level: [theme], hits: [hit]}
sounds: {hit: hit.wav, s: sfx/d.wav}
music:
  theme:
    segments: {intro: {file: intro.wav, next: combat}, combat: {file: combat.wav, loop: true}}
    transitions: [{from: any, to: any, stinger: hit}]
`
	lib := library.NewLibrary(library.Options{Rate: rate})
	fsys := themeFiles(text)
	b, err := bank.Open(fsys, "sounds.yaml", lib)
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	want := `bank: not loaded: the theme "theme"; call LoadGroup with a group that lists it`
	if _, err := b.Music("theme"); !errors.Is(err, bank.ErrUnloaded) || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	load(t, b, "level")
	if got := loadedFiles(lib); got != "combat hit intro d" {
		t.Errorf("the library has %s", got)
	}
	mu, err := b.Music("theme")
	if err != nil {
		t.Fatal(err)
	}
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	render(m, 100)
	unload(t, b, "level")
	if err := mu.Go("combat"); !errors.Is(err, bank.ErrUnloaded) {
		t.Errorf("Go of an unloaded theme says %v", err)
	}
	if err := mu.Play(bank.Options{}); !errors.Is(err, bank.ErrUnloaded) {
		t.Errorf("Play of an unloaded theme says %v", err)
	}
	render(m, 4000)
	if p := mu.Position(); p.Segment != "combat" {
		t.Errorf("what played is at %+v, want the next segment", p)
	}
	fsys["intro.wav"] = tone(2000, 0.25)
	load(t, b, "level")
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	render(m, 2100)
	if p := mu.Position(); p.Segment != "combat" {
		t.Errorf("after an intro that became shorter the position is %+v", p)
	}
}

// groupModel is a bank with groups that change, beside a slow model of it.
type groupModel struct {
	groups map[string][]string
	loaded map[string]bool
}

// modelSounds has the sounds of the model: the sounds that a play starts, in order, and the file of each.
var (
	modelPlays = map[string][]string{"a": {"a"}, "b": {"b"}, "c": {"c"}, "same": {"same"}, "layered": {"a", "c"}, "chain": {"chain", "b"}}
	modelFiles = map[string]string{"a": "a", "b": "b", "c": "c", "same": "a", "chain": "d"}
)

// has reports whether the files of a sound are loaded: if it, or a sound that plays it, is in a loaded group or in no
// group.
func (g *groupModel) has(name string) bool {
	for play, parts := range modelPlays {
		if !slices.Contains(parts, name) && play != name {
			continue
		}
		listed := false
		for group, names := range g.groups {
			if slices.Contains(names, play) {
				if listed = true; g.loaded[group] {
					return true
				}
			}
		}
		if !listed {
			return true
		}
	}
	return false
}

// text returns the file of the bank.
func (g *groupModel) text(preload bool) string {
	out := fmt.Sprintf("voices: 64\npreload: %v\ngroups:\n", preload)
	for _, name := range slices.Sorted(maps.Keys(g.groups)) {
		out += fmt.Sprintf("  %s: [%s]\n", name, strings.Join(g.groups[name], ", "))
	}
	return out + `
sounds:
  a: sfx/a.wav
  b: sfx/b.wav
  c: sfx/c.wav
  same: sfx/a.wav
  layered: {layers: [a, c]}
  chain: {file: sfx/d.wav, then: b}
`
}

// TestGroupModel loads, unloads, plays and reloads in random order, and compares the starts and the library with the
// model.
func TestGroupModel(t *testing.T) {
	names := slices.Sorted(maps.Keys(modelPlays))
	draw := func(t *rapid.T, g *groupModel) {
		g.groups = map[string][]string{}
		for _, name := range []string{"x", "y", "z"} {
			if rapid.IntRange(0, 4).Draw(t, "has "+name) > 0 {
				g.groups[name] = rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 4, rapid.ID).Draw(t, name)
			}
		}
		if len(g.groups) == 0 {
			g.groups["x"] = []string{"a"}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		g := &groupModel{loaded: map[string]bool{}}
		draw(t, g)
		preload := rapid.Bool().Draw(t, "preload")
		for name := range g.groups {
			g.loaded[name] = preload
		}
		fsys, lib := &folder{files: files(g.text(preload))}, library.NewLibrary(library.Options{Rate: rate})
		b, err := bank.Open(fsys, "sounds.yaml", lib)
		if err != nil {
			t.Fatal(err)
		}
		m, err := b.NewMixer()
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		group := func() string { return rapid.SampledFrom(slices.Sorted(maps.Keys(g.groups))).Draw(t, "group") }
		events := make([]mixer.Event, 64)
		t.Repeat(map[string]func(*rapid.T){
			"load": func(t *rapid.T) {
				name := group()
				if err := b.LoadGroup(context.Background(), name, nil); err != nil {
					t.Fatal(err)
				}
				g.loaded[name] = true
			},
			"cancelled": func(t *rapid.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				name := group()
				err := b.LoadGroup(ctx, name, func(p bank.LoadProgress) { cancel() })
				if (err == nil) != g.loaded[name] {
					t.Fatalf("LoadGroup of a group, loaded %v, says %v", g.loaded[name], err)
				}
			},
			"unload": func(t *rapid.T) {
				name := group()
				if err := b.Unload(name); err != nil {
					t.Fatal(err)
				}
				g.loaded[name] = false
			},
			"play": func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "name")
				if _, err := b.Play(name, bank.Options{}); err != nil {
					t.Fatal(err)
				}
				render(m, 2000)
				var got, want []string
				for _, e := range events[:m.Events(events)] {
					switch e.Kind {
					case mixer.EventStarted:
						got = append(got, e.Sound.Name())
					case mixer.EventRejected:
						got = append(got, e.Sound.Name()+" "+e.Reason.String())
					}
				}
				for _, part := range modelPlays[name] {
					if !g.has(part) {
						want = append(want, modelFiles[part]+" unloaded")
						if name == "chain" && part == name {
							want = append(want, modelFiles["b"]) // loaded or not, a successor of a rejected start counts as started and stopped
							break
						}
						continue
					}
					want = append(want, modelFiles[part])
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s: %q, want %q", name, got, want)
				}
			},
			"reload": func(t *rapid.T) {
				draw(t, g)
				preload := rapid.Bool().Draw(t, "preload")
				for name := range g.loaded {
					if g.groups[name] == nil {
						delete(g.loaded, name)
					}
				}
				for name := range g.groups {
					if _, known := g.loaded[name]; !known {
						g.loaded[name] = preload
					}
				}
				rewrite(fsys, "sounds.yaml", []byte(g.text(preload)))
				if err := b.Reload(); err != nil {
					t.Fatal(err)
				}
			},
			"": func(t *rapid.T) {
				want := map[string]bool{}
				for part, file := range modelFiles {
					if g.has(part) {
						want[file] = true
					}
				}
				if got, want := loadedFiles(lib), strings.Join(slices.Sorted(maps.Keys(want)), " "); got != want {
					t.Fatalf("the library has %q, want %q; loaded are %v of\n%s", got, want, g.loaded, g.text(preload))
				}
			},
		})
	})
}

// TestGroupsConcurrently loads, unloads, plays and reloads from several goroutines. The race detector checks it.
func TestGroupsConcurrently(t *testing.T) {
	b, m, _, lib := groupBank(t, grouped)
	rounds := 20
	if longtest.Enabled() {
		rounds = 2000
	}
	var group sync.WaitGroup
	for _, do := range []func(){
		func() { _ = b.LoadGroup(context.Background(), "one", func(bank.LoadProgress) {}) },
		func() { _ = b.LoadGroup(context.Background(), "two", nil) },
		func() { _ = b.Unload("one") },
		func() { _ = b.Unload("two") },
		func() { _, _ = b.Play("both", bank.Options{}) },
		func() { _, _ = b.Play("song", bank.Options{}) },
		func() { _ = b.Reload() },
		func() {
			for range b.Sounds() {
			}
		},
		func() { render(m, 64) },
	} {
		group.Go(func() {
			for range rounds {
				do()
			}
		})
	}
	group.Wait()
	unload(t, b, "one")
	unload(t, b, "two")
	if got := loadedFiles(lib); got != "d high" {
		t.Errorf("at the end the library has %s", got)
	}
}

// manyGrouped returns the files of a bank with 50 groups that share n sounds, each with a file of its own, and no
// preload.
func manyGrouped(n int) fstest.MapFS {
	fsys := fstest.MapFS{}
	groups, sounds := strings.Builder{}, strings.Builder{}
	for g := range 50 {
		fmt.Fprintf(&groups, "  level%d: [", g)
		for i := g; i < n; i += 50 {
			fmt.Fprintf(&groups, "s%d, ", i)
		}
		groups.WriteString("]\n")
	}
	for i := range n {
		fsys[fmt.Sprintf("s%d.wav", i)] = tone(1000, float32(i+1)/float32(2*n))
		fmt.Fprintf(&sounds, "  s%d: {file: s%d.wav, bus: sfx, gain: [-6, -3], limit: 4}\n", i, i)
	}
	fsys["sounds.yaml"] = &fstest.MapFile{Data: []byte("preload: false\nbuses: {sfx: {}}\ngroups:\n" + groups.String() + "sounds:\n" + sounds.String())}
	return fsys
}

// TestMemoryOfLevels changes the level 100 times, and plays in each. The heap must not grow.
func TestMemoryOfLevels(t *testing.T) {
	n := 500
	if longtest.Enabled() {
		n = 5000
	}
	lib := library.NewLibrary(library.Options{Rate: rate})
	b, err := bank.Open(manyGrouped(n), "sounds.yaml", lib)
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	level := func(i int) {
		load(t, b, fmt.Sprintf("level%d", i%50))
		if i > 0 {
			unload(t, b, fmt.Sprintf("level%d", (i-1)%50))
		}
		for j := range 8 {
			start(t, b, fmt.Sprintf("s%d", i%50+50*(j%(n/50))), bank.Options{})
		}
		render(m, 1500)
		for events := make([]mixer.Event, 64); m.Events(events) > 0; { // unread events keep their sounds
		}
	}
	heap := func() int64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC() // pools are emptied in two steps
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	for i := range 20 {
		level(i)
	}
	before, held := heap(), lib.Bytes()
	for i := range 100 {
		level(20 + i)
	}
	after := heap()
	if lib.Bytes() != held {
		t.Errorf("the library has %d bytes, and %d after 100 levels", held, lib.Bytes())
	}
	if after-before > 10*held { // the runtime and pools vary by some kB; all 100 levels would be 100 times as much
		t.Errorf("the heap grew from %d to %d bytes in 100 levels of %d bytes", before, after, held)
	}
	if s := m.Stats(); s.Rejected != 0 || s.Started != 8*120 {
		t.Errorf("%d started and %d rejected, want %d and none", s.Started, s.Rejected, 8*120)
	}
	runtime.KeepAlive(b)
}

// BenchmarkOpenGroups opens a bank with 5,000 sounds in 50 groups without preload.
func BenchmarkOpenGroups(b *testing.B) {
	fsys := manyGrouped(5000)
	for b.Loop() {
		if _, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate})); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoadGroup changes between two levels of 100 of 5,000 sounds.
func BenchmarkLoadGroup(b *testing.B) {
	all, err := bank.Open(manyGrouped(5000), "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		load(b, all, fmt.Sprintf("level%d", i%2))
		unload(b, all, fmt.Sprintf("level%d", 1-i%2))
	}
}
