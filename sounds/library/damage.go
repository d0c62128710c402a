package library

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

// String describes the damage in one line: the time in seconds where it begins, its duration and the error. The
// duration is left out if it is unknown or the file is cut short.
func (d *Damage) String() string {
	if d.Frames == 0 {
		return fmt.Sprintf("damaged at %.3f s: %v", d.At().Seconds(), d.Err)
	}
	return fmt.Sprintf("damaged at %.3f s, %.3f s were concealed: %v", d.At().Seconds(), d.Length().Seconds(), d.Err)
}

// damagesOf converts damaged places that a codec has found to the form of Clip.Damages. found counts frames from the
// beginning of the file, including the padding of the encoder. The parameter from is the first frame after that
// padding, and the results count from there. Places are clipped to the length of the sound, frames. A place outside
// the sound is kept with a length of 0. rate is in Hz. Without damage the result is nil.
func damagesOf(found []source.Damage, rate int, from, frames int64) []Damage {
	var list []Damage
	for _, d := range found {
		begin := min(max(d.Frame-from, 0), frames)
		end := min(max(d.Frame+d.Frames-from, begin), frames)
		list = append(list, Damage{Frame: begin, Frames: end - begin, Rate: rate, Err: d.Err})
	}
	return list
}

// strictError returns the error of the first damaged place in list if Options.Strict is set. It returns nil without
// Strict, or if list is empty.
func (o *Options) strictError(list []Damage) error {
	if o.Strict && len(list) > 0 {
		return list[0].Err
	}
	return nil
}

// reportDamages calls Options.OnDamage for each damaged place in list, unless it was reported before, and records it
// as reported. src is the damaged file. At most 100 places of a file are reported. It has no effect without OnDamage.
// It must be called without the mutex. Any goroutine.
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

// isNew records a damaged place of the file src, which begins at the given frame. It returns true if the place was
// not recorded before. After 100 recorded places of a file (source.MaxDamages) it records no further ones and returns
// false. It takes the mutex.
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

// Scan decodes the whole file src, as a stream does, to find damaged places and oddities. It discards the samples. It
// reports damaged places to Options.OnDamage. At the end of the file it adds notes about oddities to the Info of the
// library's streams of this file. It returns the error that would end a stream of the file early, or the error of
// ctx. The error names src. Control side.
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

// addNotes adds notes to the Info of each stream in the library whose Source.File is file, in any file system. A note
// that is already there is not added again. The Info of loaded sounds is unchanged. It takes the mutex.
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
