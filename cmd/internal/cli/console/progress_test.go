package console

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicepool/cmd/internal/view/cellwidth"
)

// onTerminal returns a console with a fake terminal, its output, and a function that advances its
// clock.
func onTerminal(t *testing.T) (c *Console, out *strings.Builder, wait func(time.Duration)) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "terminal")) // without a size: 80 columns
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	now := time.Unix(1000, 0)
	out = &strings.Builder{}
	return &Console{Err: out, ErrTerminal: file, clock: func() time.Time { return now }}, out, func(d time.Duration) { now = now.Add(d) }
}

// shown interprets the terminal output and returns the visible line.
func shown(out *strings.Builder) string {
	text := out.String()
	if _, after, found := strings.Cut(text[strings.LastIndex(text, "\r")+1:], "\x1b[K"); found {
		return after
	}
	return text
}

// TestWork checks that a terminal shows a progress bar from the start with the remaining time, and
// that other consoles show none.
func TestWork(t *testing.T) {
	if (&Console{Err: &strings.Builder{}}).Work("loading") != nil {
		t.Error("it shows something where there is no terminal")
	}
	c, out, wait := onTerminal(t)
	c.Quiet = true
	if c.Loading() != nil || c.Preparing() != nil {
		t.Error("it shows something though it should be quiet")
	}
	c.Quiet = false
	show := c.Loading()
	for _, step := range []struct {
		after time.Duration
		done  int
		want  string
	}{
		{0, 0, "loading                       0 %  0 of 200"},
		{50 * time.Millisecond, 1, "loading                       0 %  0 of 200"}, // too soon for an update
		{500 * time.Millisecond, 50, "loading █████                25 %  50 of 200"},
		{1450 * time.Millisecond, 100, "loading ██████████           50 %  100 of 200, 2s left"},
		{98 * time.Second, 101, "loading ██████████           50 %  101 of 200, 1m38s left"},
		{time.Second, 199, "loading ███████████████████▉ 99 %  199 of 200, 1s left"},
		{time.Second, 200, ""},
	} {
		wait(step.after)
		if show(step.done, 200); shown(out) != step.want {
			t.Errorf("with %d done it shows %q, want %q", step.done, shown(out), step.want)
		}
	}
}

// TestProgressGivesWay checks that a message gets its own line, and that a progress line fits the
// terminal's width.
func TestProgressGivesWay(t *testing.T) {
	c, out, _ := onTerminal(t)
	c.Progress("%s", strings.Repeat("鐘", 60))
	if got := cellwidth.Width(out.String()); got != 78 {
		t.Errorf("the line is %d columns wide, want 78 of 80", got)
	}
	out.Reset()
	c.Say("%v", errors.New("broken"))
	if want := "\r\x1b[Kvoicepool: broken\n"; out.String() != want {
		t.Errorf("the message is %q, want %q", out.String(), want)
	}
	out.Reset()
	if c.Progress(""); out.Len() > 0 {
		t.Errorf("it takes away what is not there: %q", out.String())
	}
}

// TestEach checks that done is called with 0 and after each piece.
func TestEach(t *testing.T) {
	var told []int
	Each(3, func(done, total int) { told = append(told, done*10+total) }, func(int) {})
	if len(told) != 4 || told[0] != 3 || told[3] != 33 {
		t.Errorf("it tells %v", told)
	}
}

// TestRendered checks the progress text of a render: bar, share, speed and remaining time.
func TestRendered(t *testing.T) {
	for _, c := range []struct {
		frames, length int64
		took           time.Duration
		want           string
	}{
		{frames: 24000, took: 10 * time.Millisecond, want: "mixing 0.5 s, 50x"},
		{
			frames: 24000, length: 48000, took: 20 * time.Millisecond,
			want: "mixing ██████████           50 %  0.5 s of about 1.0 s, 25x",
		},
		{
			frames: 47999, length: 48000, took: 100 * time.Millisecond,
			want: "mixing ███████████████████▉ 99 %  1.0 s of about 1.0 s, 10x",
		},
		{
			frames: 60 * 48000, length: 240 * 48000, took: 3 * time.Second,
			want: "mixing █████                25 %  1m0s of about 4m0s, 9s left, 20x",
		},
		{frames: 96000, length: 48000, took: 2 * time.Second, want: "mixing ████████████████████ 100 %  2.0 s of about 1.0 s, 1x"},
		{
			frames: 3599 * 48000, length: 4*3600*48000 + 1, took: 100 * time.Second,
			want: "mixing ████▉                24 %  59m59s of about 4h0m0s, 5m0s left, 36x",
		},
		{length: 48000, want: "mixing                       0 %  0.0 s of about 1.0 s"},
	} {
		if got := Rendered(c.frames, c.length, 48000, c.took); got != c.want || cellwidth.Width(got) > 79 {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
