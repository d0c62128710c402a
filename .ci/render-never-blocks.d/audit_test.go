// Package audit walks the call graph of the mixer's audio side: all code reachable from (*mixer.Mixer).Render.
// Its tests fail if the walk reaches a package outside its list (fmt, log, time, os, reflect, io, syscall, sync
// and most others are outside). They also fail for a channel, a map, a go statement, a function value that a
// caller may provide, and a heap allocation.
package audit

import (
	"strings"
	"testing"
)

const module = "../.." // the root of the module

// audioSide lists the packages whose code is walked.
var audioSide = []string{"./mixer", "./effect/...", "./voice", "./internal/dsp", "./internal/release", "./internal/ring", "./internal/spectrum", "./pool"}

func TestRender(t *testing.T) {
	for _, test := range []struct{ name, tags string }{{"assembly", ""}, {"purego", "purego"}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := load(t, module, test.tags, nil, audioSide...)
			w := walk(p, p.method(t, "voicepool/mixer", "Mixer", "Render"), mixerRules)
			w.heap(escapes(t, module, test.tags, "./mixer", "voicepool/..."))
			for _, f := range w.findings {
				t.Error(f)
			}
			if n := len(w.seen); n < 300 {
				t.Errorf("only %d functions were walked: it proves too little", n)
			}
			t.Logf("%d functions walked from Render, %d of them without a body in Go; packages: %s\nallowed: %s",
				len(w.seen), w.bodiless, strings.Join(w.packages(), " "), strings.Join(w.exceptions(), ", "))
		})
	}
}
