package showrun

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"voicepool/cue"
	"voicepool/internal/whole"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Trim adds the parameter by, in dB, to the gain of the cue that the last GO started. Before the first GO, or if that
// cue was removed from the sheet, it trims the cue on standby. The new gain applies to later starts and, if possible,
// to sounds that play now; see play.Player.Trim. Trim keeps the sum of the changes of each cue for Write, rounded to
// 0.01 dB, and reports an event.
//
// Three cases are errors and change no gain: such a cue does not exist, the cue plays no sound, or the sum of its trims
// leaves the mixer's range of gains.
func (s *Show) Trim(by float64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i := s.last
	if i < 0 {
		i = s.standby
	}
	if i >= len(s.sheet.List) {
		return errors.New("trim: no cue has started, and no cue is on standby")
	}
	starts := func(c cue.Cue) bool { return c.Action.Verb() == cue.VerbPlay }
	if l := &s.sheet.List[i]; !slices.ContainsFunc(s.sheet.Cues[l.First:l.First+l.Count], starts) {
		return fmt.Errorf("cue %s plays no sound, so it has no gain to trim; trim a cue with a sound, after its GO", s.number(i))
	}
	sum := math.Round(100*(s.trims[i]+by)) / 100
	if sum < mixer.MinGain || sum > mixer.MaxGain {
		return fmt.Errorf("trim: cue %s would be trimmed by %+g dB; give %d to %d", strconv.Quote(s.number(i)), sum, mixer.MinGain, mixer.MaxGain)
	}
	s.trims[i] = sum
	s.player.Trim(i, pcm.Decibels(by))
	s.report(fmt.Sprintf("trim %s %+g dB", s.number(i), s.trims[i]))
	return nil
}

// Write saves the trims, the gain changes of cues by Trim: it adds them to the gains in the file of the sheet. The rest
// of the file stays as it is. Then Write resets the trims of the show to 0 and reports an event. The sound does not
// change.
//
// If no cue is trimmed, or if the sheet came from standard input, it returns an error. After any error the file and the
// trims are unchanged.
func (s *Show) Write() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	trims := map[string]float64{}
	for i, by := range s.trims {
		if by != 0 {
			trims[s.number(i)] = by
		}
	}
	file := s.sheet.File
	switch {
	case len(trims) == 0:
		return errors.New("write: no cue is trimmed")
	case file == "-" || file == "":
		return errors.New("the sheet came from standard input; it has no file to write to")
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: %w", words.OneLine(file), words.Cause(err))
	}
	text, err := cue.Trimmed(src, trims)
	if err == nil {
		_, err = cue.Parse(file, text)
	}
	if err == nil {
		err = save(file, text)
	}
	if err != nil {
		return fmt.Errorf("the sheet is not written: %w", err)
	}
	clear(s.trims)
	s.report("trims written into " + file)
	return nil
}

// save replaces the content of the file path by text atomically: it writes a new file and renames it. After an error
// the old file remains.
func save(path string, text []byte) error {
	f, err := whole.Create(path, ".part")
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Commit()
}
