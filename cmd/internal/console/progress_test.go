package console

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestLoading: a bar on a terminal, nothing elsewhere or when nothing is wanted.
func TestLoading(t *testing.T) {
	var out strings.Builder
	c := &Console{Err: &out}
	if c.Loading() != nil {
		t.Error("it shows something where there is no terminal")
	}
	c.ErrTerminal, c.Quiet = os.Stderr, true
	if c.Loading() != nil {
		t.Error("it shows something though it should be quiet")
	}
	c.Quiet = false
	show := c.Loading()
	show(1, 2)
	if want := "\r\x1b[Kloading ██████████           1 of 2"; out.String() != want {
		t.Errorf("it shows %q, want %q", out.String(), want)
	}
	out.Reset()
	if show(2, 2); !strings.HasSuffix(out.String(), "2 of 2\r\x1b[K") {
		t.Errorf("in the end it shows %q", out.String())
	}
}

// TestRendered: with a length a bar, a share of it, and how fast it goes.
func TestRendered(t *testing.T) {
	for _, c := range []struct {
		frames, length int64
		took           time.Duration
		want           string
	}{
		{frames: 24000, took: 10 * time.Millisecond, want: "0.5 s  50 times real time"},
		{
			frames: 24000, length: 48000, took: 20 * time.Millisecond,
			want: "██████████           50 %  0.5 s of at most 1.0 s  25 times real time",
		},
		{
			frames: 47999, length: 48000, took: 100 * time.Millisecond,
			want: "███████████████████▉ 99 %  1.0 s of at most 1.0 s  10 times real time",
		},
		{length: 48000, want: "                     0 %  0.0 s of at most 1.0 s"},
	} {
		if got := Rendered(c.frames, c.length, 48000, c.took); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
