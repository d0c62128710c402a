package library_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/sounds/library"
)

// child runs this program as the decoder child of a test. By mode it decodes correctly or misbehaves, as a
// hostile file might make it.
func child(mode string) {
	say := func(text string) { fmt.Print(text) }
	const clip = "clip wav - 1 8000 0 2 - - -\n"
	if mode != "deaf" && mode != "decode" && mode != "strict" {
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	switch mode {
	case "decode":
		if err := library.ServeDecode(os.Stdin, os.Stdout, library.Limits{}); err != nil {
			os.Exit(1)
		}
	case "strict":
		_ = library.ServeDecode(os.Stdin, os.Stdout, library.Limits{Frames: 10})
	case "deaf", "silent":
	case "die":
		os.Exit(3)
	case "die late":
		say(clip + "1234")
		os.Exit(3)
	case "fail":
		say(clip + "\x00\x00\x00\x00\x00\x00\x00\x00")
		os.Exit(3)
	case "hang":
		time.Sleep(time.Hour)
	case "nap":
		time.Sleep(10 * time.Minute)
	case "orphan": // leaves a process behind that holds the pipe open
		c := exec.Command(os.Args[0], "child", "nap")
		c.Stdout = os.Stdout
		_ = c.Start()
	case "lost orphan": // a process that has left its process group
		c := exec.Command("setsid", os.Args[0], "child", "nap")
		c.Stdout = os.Stdout
		if err := c.Start(); err != nil {
			time.Sleep(time.Hour) // on systems without that command
		}
	case "hungry":
		if err := library.LimitProcess(100, library.Limits{Memory: 1 << 20, Time: time.Second}); err != nil {
			os.Exit(1)
		}
		say(`fault `)
		var all [][]byte
		for range 8 {
			b := make([]byte, 64<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			all = append(all, b)
		}
		runtime.KeepAlive(all)
		say(`decode "it starts"` + "\n")
	case "endless line":
		for range 1 << 20 {
			say("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
		}
	case "endless samples":
		say(clip)
		for range 1 << 20 {
			say("\x00\x00\x00\x00\x00\x00\x00\x00")
		}
	case "rubbish":
		say("Segmentation fault\n")
	case "no number":
		say("clip wav - 1 8000 0 1 - - -\n\x00\x00\xc0\x7f")
	case "strange fault":
		say(`fault disk "two\nlines \u001b[31m"` + "\n")
	default: // the answer itself
		say(mode)
	}
}

// startable reports, once, why this program cannot start itself, or nil.
var startable = sync.OnceValue(exec.Command(os.Args[0], "child", "silent").Run)

// isolated returns limits that decode in a child of this program in the given mode. Its time limit is long, because a
// busy machine can stall a process for a minute.
func isolated(t *testing.T, mode string) library.Limits {
	t.Helper()
	if err := startable(); err != nil {
		t.Skipf("this program cannot start itself, as under an emulator: %v", err)
	}
	return library.Limits{Isolate: []string{os.Args[0], "child", mode}, Time: 5 * time.Minute}
}

// TestIsolated checks that hostile files give the same errors and bits in a child process as in this one.
func TestIsolated(t *testing.T) {
	t.Parallel()
	for name := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata/hostile", name))
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := library.Decode(context.Background(), name, bytes.NewReader(data), library.Limits{})
			got, gotErr := library.Decode(context.Background(), name, bytes.NewReader(data), isolated(t, "decode"))
			if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Fatalf("error %v, want %v", gotErr, wantErr)
			}
			for _, kind := range []error{library.ErrDecode, library.ErrFormat, library.ErrLimit} {
				if errors.Is(gotErr, kind) != errors.Is(wantErr, kind) {
					t.Fatalf("error %#v, want %#v", gotErr, wantErr)
				}
			}
			if wantErr == nil {
				same(t, got, want)
			}
		})
	}
}

func same(t *testing.T, got, want *library.Clip) {
	t.Helper()
	if !slices.Equal(got.Samples, want.Samples) {
		t.Errorf("%d samples, want the same %d", len(got.Samples), len(want.Samples))
	}
	a, b := *got, *want
	a.Samples, b.Samples, a.Loop, b.Loop = nil, nil, nil, nil
	if fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) || (got.Loop == nil) != (want.Loop == nil) || got.Loop != nil && *got.Loop != *want.Loop {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestIsolatedProperties checks that a child process also transfers the properties beside the samples.
func TestIsolatedProperties(t *testing.T) {
	mp3, err := os.ReadFile("testdata/formats/mp3-8000-1-cbr.mp3")
	if err != nil {
		t.Fatal(err)
	}
	const tag = "ID3\x03\x00\x00\x00\x00\x00\x28TXXX\x00\x00\x00\x1e\x00\x00\x00REPLAYGAIN_TRACK_GAIN\x00-6.5 dB"
	got, err := library.Decode(context.Background(), "x", io.MultiReader(strings.NewReader(tag), bytes.NewReader(mp3)), isolated(t, "decode"))
	if err != nil || got.Gain == nil || *got.Gain != -6.5 {
		t.Errorf("%v, gain %v", err, got)
	}
	data := wavBytes(8000, 6, make([]int16, 600), smpl(10, 19))
	want, err := library.Decode(context.Background(), "x", bytes.NewReader(data), library.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got, err = library.Decode(context.Background(), "x", bytes.NewReader(data), isolated(t, "decode"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	if got.Loop == nil || *got.Loop != [2]int64{10, 20} || got.Channels != 6 || got.Name != "x" {
		t.Errorf("%+v", got)
	}
}

// TestIsolatedChild checks that every misbehavior of the child soon becomes an error that names the fault.
func TestIsolatedChild(t *testing.T) {
	t.Parallel()
	data := wavBytes(8000, 1, make([]int16, 100))
	const another = "the process that decodes it gives no answer, but something else"
	for _, c := range []struct {
		mode, text string
		kind       error
	}{
		{
			mode: "deaf",
			text: "the process that decodes it ended without an answer (exit status 0)",
			kind: library.ErrDecode,
		},
		{
			mode: "silent",
			text: "the process that decodes it ended without an answer (exit status 0)",
			kind: library.ErrDecode,
		},
		{
			mode: "die",
			text: "the process that decodes it ended without an answer (exit status 3)",
			kind: library.ErrDecode,
		},
		{
			mode: "die late",
			text: "the process that decodes it ended without an answer (exit status 3)",
			kind: library.ErrDecode,
		},
		{mode: "fail", text: "the process that decodes it failed: exit status 3", kind: library.ErrDecode},
		{mode: "hang", text: "decoding took longer than 100ms", kind: library.ErrLimit},
		{mode: "orphan", text: "decoding took longer than 100ms", kind: library.ErrLimit},
		{mode: "lost orphan", text: "decoding took longer than 100ms", kind: library.ErrLimit},
		{mode: "strict", text: "more than 10 frames; play it as a stream (stream: true)", kind: library.ErrLimit},
		{
			mode: "endless line",
			text: another,
			kind: library.ErrDecode,
		},
		{
			mode: "endless samples",
			text: "the process that decodes it does not stop after its answer",
			kind: library.ErrDecode,
		},
		{
			mode: "rubbish",
			text: another,
			kind: library.ErrDecode,
		},
		{mode: "strange fault", text: "two?lines ?[31m"},
		{mode: "clip wav - 0 0 0 0 - - -\n", text: "the header says 0 channels", kind: library.ErrDecode},
		{
			mode: "clip wav - 9 8000 0 0 - - -\n", text: "9 channels, at most 8 are read",
			kind: library.ErrLimit,
		},
		{
			mode: "clip wav - 1 8000 0 100000000 - - -\n",
			text: "its samples take more than 32 MiB plus 16000 times its 244 bytes; play it as a stream (stream: true)", kind: library.ErrLimit,
		},
		{mode: "clip wav - 1 8000 0 0 - -\n", text: another, kind: library.ErrDecode},
		{mode: "clip wav - 1 8000 0 0 - - - -\n", text: another, kind: library.ErrDecode},
		{mode: "clip wav - 1 8000 0 x - - -\n", text: another, kind: library.ErrDecode},
		{mode: "clip wav - 1 8000 0 0 loud - -\n", text: another, kind: library.ErrDecode},
		{mode: "fault decode \"\"\n", text: another, kind: library.ErrDecode},
		{mode: "fault decode bare\n", text: another, kind: library.ErrDecode},
		{mode: "no number", text: "the sample of frame 0 is NaN, not within -65536..+65536", kind: library.ErrDecode},
		{
			mode: "clip wav - 1 8000 0 -1 - - -\n",
			text: "the process that decodes it gives an answer that makes no sense",
			kind: library.ErrDecode,
		},
		{
			mode: "clip exe - 1 8000 0 0 - - -\n",
			text: "the process that decodes it gives an answer that makes no sense",
			kind: library.ErrDecode,
		},
		{
			mode: "clip wav \x1b 1 8000 0 0 - - -\n",
			text: "the process that decodes it gives an answer that makes no sense",
			kind: library.ErrDecode,
		},
	} {
		t.Run(strings.TrimSpace(c.mode), func(t *testing.T) {
			t.Parallel()
			lim := isolated(t, c.mode)
			if c.kind == library.ErrLimit && strings.HasPrefix(c.text, "decoding") {
				lim.Time = 100 * time.Millisecond
			}
			start := time.Now()
			_, err := library.Decode(context.Background(), "x", bytes.NewReader(data), lim)
			if err == nil || err.Error() != "sounds: x: "+c.text {
				t.Errorf("error %v, want %q", err, c.text)
			}
			if c.kind != nil && !errors.Is(err, c.kind) {
				t.Errorf("%v does not wrap %v", err, c.kind)
			}
			// A Decode that waits for an orphan takes ten minutes. A busy machine can stall a test for a minute.
			if took := time.Since(start); took > 5*time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestIsolatedMemory checks that a child that exceeds its memory limit dies, on systems that support the limit.
func TestIsolatedMemory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || raceEnabled {
		t.Skip("nothing but Linux bounds a process's memory, and the race detector's memory is not bounded")
	}
	_, err := library.Decode(context.Background(), "x", strings.NewReader("x"), isolated(t, "hungry"))
	if !errors.Is(err, library.ErrDecode) || !strings.HasSuffix(err.Error(), "something else") {
		t.Errorf("error %v; it should have died in the middle of its line", err)
	}
}

func TestIsolatedNot(t *testing.T) {
	lim := library.Limits{Isolate: []string{filepath.Join(t.TempDir(), "nowhere")}}
	_, err := library.Decode(context.Background(), "x", strings.NewReader("x"), lim)
	if err == nil || !strings.HasPrefix(err.Error(), "sounds: x: no process to decode in: ") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := library.Decode(ctx, "x", strings.NewReader("x"), isolated(t, "hang")); !errors.Is(err, context.Canceled) || errors.Is(err, library.ErrLimit) {
		t.Errorf("error %v", err)
	}
}

// TestServeDecode checks that invalid requests are rejected without limiting the process and without an answer.
func TestServeDecode(t *testing.T) {
	for _, text := range []string{"", "\n", "{}", "RIFF....WAVE\n", "decode\n", "decode -1 0 0 0 0 0 0 0\n", "decode 1 0 0 0 0 0 0 0 0\n", "decode 1 0 0 0 0 0 0 x\n", strings.Repeat("x", 10000) + "\n"} {
		var out bytes.Buffer
		err := library.ServeDecode(strings.NewReader(text), &out, library.Limits{})
		if err == nil || err.Error() != "sounds: standard input is no request to decode a file" || out.Len() > 0 {
			t.Errorf("%.20q: %v, %q", text, err, out.String())
		}
	}
}
