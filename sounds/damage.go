package sounds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// Damage is a place of a file that could not be decoded. It was replaced by a fade to silence, or for Opus by
// the packet-loss concealment of the decoder.
type Damage struct {
	Frame  int64 // where it begins, in frames of the file
	Frames int64 // how many frames were replaced; 0: the file is cut short there, or the length of the damage is unknown
	Rate   int   // frames per second
	Err    error // the fault; it wraps ErrDecode
}

// At returns the time of the first damaged frame from the beginning of the file.
func (d *Damage) At() time.Duration { return pcm.Duration(d.Frame, d.Rate) }

// Length returns the duration of the damage; 0 if it is unknown or the file is cut short there.
func (d *Damage) Length() time.Duration { return pcm.Duration(d.Frames, d.Rate) }

// String returns the time in seconds, the duration and the error in one line. The duration is left out if it is
// unknown or the file is cut short.
func (d *Damage) String() string {
	if d.Frames == 0 {
		return fmt.Sprintf("damaged at %.3f s: %v", d.At().Seconds(), d.Err)
	}
	return fmt.Sprintf("damaged at %.3f s, %.3f s were concealed: %v", d.At().Seconds(), d.Length().Seconds(), d.Err)
}

// damagesOf converts found, the damages of a codec in frames of the file with padding, at rate in Hz. Their positions
// become relative to frame from, and are clipped to the frames frames of the sound. nil: no damage.
func damagesOf(found []source.Damage, rate int, from, frames int64) []Damage {
	var list []Damage
	for _, d := range found {
		begin := min(max(d.Frame-from, 0), frames)
		end := min(max(d.Frame+d.Frames-from, begin), frames)
		list = append(list, Damage{Frame: begin, Frames: end - begin, Rate: rate, Err: d.Err})
	}
	return list
}

// strictError returns the error of the first place of list if Options.Strict is set, otherwise nil. An empty list
// gives nil.
func (o *Options) strictError(list []Damage) error {
	if o.Strict && len(list) > 0 {
		return list[0].Err
	}
	return nil
}

// reportDamages calls Options.OnDamage for each place in list, of the file src, that was not reported before, and
// records it as reported. It is called without the mutex. Any goroutine.
func (l *Library) reportDamages(src Source, list ...Damage) {
	for _, d := range list {
		if l.opt.OnDamage != nil && l.isNew(src, d.Frame) {
			l.opt.OnDamage(src.label(), d)
		}
	}
}

// damagedFile identifies a file with damaged places. Files with equal names in different file systems are
// different, except in file systems that cannot be compared.
type damagedFile struct {
	label string
	fsys  any
}

// isNew records that the file src has a damaged place which begins at frame, and reports whether it was not recorded
// before. If source.MaxDamages places of the file are recorded, it returns false. It takes the mutex.
func (l *Library) isNew(src Source, frame int64) bool {
	file := damagedFile{src.label(), src.key().fsys}
	if _, unique := file.fsys.(*byte); unique {
		file.fsys = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.damaged[file]
	if len(known) >= source.MaxDamages || slices.Contains(known, frame) {
		return false
	}
	l.damaged[file] = append(known, frame)
	return true
}

// clearDamages removes the records of damage of the files named label, so that their places are reported again. The
// caller holds the mutex.
func (l *Library) clearDamages(label string) {
	for file := range l.damaged {
		if file.label == label {
			delete(l.damaged, file)
		}
	}
}

// Scan decodes the whole file src as a stream would, discards the samples, and finds damaged places and notes. It
// calls Options.OnDamage, and adds the notes to the Info of the streams of this file. The error names src. It is the
// error that would end a stream of the file early, or the error of ctx. Control side.
func (l *Library) Scan(ctx context.Context, src Source) (err error) {
	defer func() { err = withName(src.label(), err) }()
	defer recoverPanic("the decoder", &err)
	src.Leveling = Leveling{Tags: true} // so that openTrack does not measure
	t, err := l.openTrack(src, &StreamOptions{})
	if err != nil {
		return err
	}
	c, err := t.cursor()
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.seek(0); err != nil {
		return err
	}
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = c.read()
		}
	}
	if errors.Is(err, io.EOF) {
		l.addNotes(src.File, slices.Concat(t.clip.Notes, c.r.About().Notes()))
		return nil
	}
	return err
}

// addNotes adds notes to the Info of all streams whose Source.File is file, without duplicates. Loaded sounds are
// unchanged. It takes the mutex.
func (l *Library) addNotes(file string, notes []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for sound, info := range l.infos {
		if info.File != file || !sound.Streamed() {
			continue
		}
		info.Notes = slices.Clone(info.Notes)
		for _, note := range notes {
			if !slices.Contains(info.Notes, note) {
				info.Notes = append(info.Notes, note)
			}
		}
		l.infos[sound] = info
	}
}
