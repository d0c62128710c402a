package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"voicepool/cue"
	"voicepool/device"
	"voicepool/mixer"
	"voicepool/voice"
)

func TestExitCodes(t *testing.T) {
	faulty := cue.Errors{{File: "a.yaml", Line: 2, Column: 3, Msg: "bad"}, {File: "a.yaml", Msg: "worse"}}
	missing := cue.Errors{{File: "a.yaml", Line: 2, Column: 3, Msg: "gone", Sound: fs.ErrNotExist}}
	for _, c := range []struct {
		err  error
		code int
		line string
	}{
		{nil, 0, ""},
		{errors.New("wav: out.wav: full"), 1, "out.wav: full"},
		{errors.New("two\nlines"), 1, "two lines"},
		{usage("--voices: %d", 0), 2, "--voices: 0"},
		{fmt.Errorf("more: %w", usage("x")), 2, "more: x"},
		{faulty, 2, "a.yaml:2:3: bad (and 1 more, which voicepool check shows)"},
		{missing, 1, "a.yaml:2:3: gone"},
		{errors.Join(missing, faulty), 2, "a.yaml:2:3: gone"},
		{silentFailure{2}, 2, ""},
		{interruption{os.Interrupt}, 130, ""},
		{interruption{syscall.SIGTERM}, 143, ""},
		{errors.Join(interruption{syscall.SIGTERM}, missing), 143, ""},
		{errors.Join(interruption{syscall.SIGTERM}, silentFailure{1}), 143, ""},
	} {
		if got := exitCode(c.err); got != c.code {
			t.Errorf("%v exits with %d, want %d", c.err, got, c.code)
		}
		if got := message(c.err); got != c.line {
			t.Errorf("%v says %q, want %q", c.err, got, c.line)
		}
	}
	if got := why(fmt.Errorf("oto: no card: %w", device.ErrUnavailable)); got != "no card" {
		t.Errorf("why: %q", got)
	}
}

// A full disk behind standard output is found at the end, but does not hide
// wrong usage.
func TestFinishLooksAtOutput(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		line string
	}{
		{nil, 1, "voicepool: standard output: no space left on device\n"},
		{errors.New("another"), 1, "voicepool: standard output: no space left on device\n"},
		{usage("wrong"), 2, "voicepool: wrong\n"},
	} {
		var messages strings.Builder
		full := &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
		k := &console{out: &sticky{err: full}, err: &messages}
		if code := k.finish(c.err); code != c.code || messages.String() != c.line {
			t.Errorf("%v ends with %d and %q, want %d and %q", c.err, code, messages.String(), c.code, c.line)
		}
	}
}

func TestFlagsWinOverSheet(t *testing.T) {
	sheet := parse(t, "{voices: 3, seed: 4, rate: 8000, overflow: oldest, cues: []}")
	if got := *(&sheetFlags{}).apply(sheet); got.Voices != 3 || got.Seed != 4 || got.Rate != 8000 || got.Overflow != mixer.StealOldest || got.Length != nil {
		t.Errorf("no flags make %+v", got)
	}
	voices, seed, rate := 5, int64(-1), 44100
	length := &timeFlag{}
	if err := length.UnmarshalText([]byte("1.5s")); err != nil {
		t.Fatal(err)
	}
	f := &sheetFlags{
		Voices: &voices, Seed: &seed, Rate: &rate, Overflow: &overflowFlag{mixer.Reject}, Quality: &qualityFlag{voice.Linear},
		Length: length, Refuse: true,
	}
	got := f.apply(sheet)
	if got.Voices != 5 || got.Seed != 1<<64-1 || got.Rate != 44100 || got.Overflow != mixer.Reject || got.Quality != voice.Linear ||
		got.Length.Frames(1000) != 1500 || !got.Refuse {
		t.Errorf("flags make %+v", got)
	}
	if sheet.Voices != 3 || sheet.Length != nil {
		t.Error("the sheet has changed")
	}
}

func TestReportFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	create := func() *reportFile {
		r, err := createReport(path)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	has := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("the file has %q, %v, want %q", got, err, want)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("there are %d files, want the report alone", len(files))
		}
	}
	create().discard()
	has("old")
	r := create()
	broken := errors.New("broken")
	if err := r.fill(func(w io.Writer) error { return broken }); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("fill says %v", err)
	}
	r.discard()
	has("old")
	r = create()
	if err := errors.Join(r.fill(func(w io.Writer) error { _, err := w.Write([]byte("new")); return err }), r.commit()); err != nil {
		t.Fatal(err)
	}
	r.discard()
	has("new")
	if r, err := createReport("-"); r != nil || err != nil {
		t.Errorf("- makes %v, %v", r, err)
	}
}

func TestBuildVersion(t *testing.T) {
	info := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}
	for _, c := range []struct {
		info *debug.BuildInfo
		ok   bool
		want string
	}{
		{nil, false, "devel"},
		{info("(devel)"), true, "devel"},
		{info("v1.2.3"), true, "v1.2.3"},
		{info("", commit), true, "devel 0123456789ab"},
		{info("", commit, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), true, "devel 0123456789ab+changes"},
	} {
		if got := buildVersion(c.info, c.ok); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
