// Package take renders the output of the game again, from the journal of its mixer. It is for tests.
package take

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/record"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// Journal is the number of journal entries for a Take: enough for some seconds of a test.
const Journal = 1 << 16

// Take records the output of a mixer.
type Take struct {
	mixer    *mixer.Mixer
	recorder *record.Recorder
}

// New returns a Take that records m, which must not have rendered yet. c is the configuration of m, with a Journal.
func New(m *mixer.Mixer, c mixer.Config) (*Take, error) {
	head, err := record.RulesOf(c)
	if err != nil {
		return nil, err
	}
	return &Take{m, record.New(head, func(v *sounds.Sound) (rules.Sound, bool) {
		return rules.Sound{Name: v.Name(), Files: []rules.File{{Name: v.Name()}}}, true
	})}, nil
}

// Render returns the first frames (a number) of the mixer's output, rendered by a new mixer from the journal. It is
// an error if the journal has lost entries. Call it only once.
func (t *Take) Render(frames int) ([]pcm.Frame, error) {
	if err := t.recorder.ReadJournal(t.mixer); err != nil {
		return nil, err
	}
	t.recorder.End(int64(frames))
	var text bytes.Buffer
	if _, err := t.recorder.WriteTo(&text); err != nil {
		return nil, err
	}
	sheet, err := cue.Parse("journal.yaml", text.Bytes())
	if err != nil {
		return nil, err
	}
	lib := library.NewLibrary(library.Options{})
	player, err := play.NewPlayer(context.Background(), sheet, lib, play.Options{})
	if err != nil {
		return nil, err
	}
	defer player.Close()
	// The player removes the latency of the limiter.
	out := make([]pcm.Frame, frames)
	for at := int(t.mixer.LatencyFrames()); at < frames; {
		n, err := player.Read(out[at:])
		if at += n; errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the journal renders %d frames of %d", at, frames)
		} else if err != nil {
			return nil, err
		}
	}
	return out, nil
}
