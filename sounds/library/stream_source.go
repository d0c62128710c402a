package library

import (
	"cmp"
	"errors"
	"io"
	"math"
	"sync"
	"time"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// streamSource is a file that is played as a stream.
type streamSource struct {
	lib      *Library // receives reports of damage; may be nil
	src      Source
	lim      source.Limits
	clip     Clip       // without samples
	mu       sync.Mutex // guards frames and counted after openTrack
	frames   int64      // the announced or counted length; 0: unknown
	counted  bool       // frames is exact
	channels int        // after the downmix
	gain     pcm.Decibels
	marks    source.Marks

	// Size and modification time of the opened file, to detect changes.
	size     int64
	modified time.Time

	measured bool
	loudness pcm.LUFS
	peak     pcm.Decibels
}

// openTrack opens the file src as a stream, determines its length, its loop and its gain, and closes the file again.
// The gain is the gain of the leveling plus opt.Gain. With opt.Measure it decodes the whole file and measures its
// loudness; damage found on the way is reported to the library. If opt.CountsAs is 0, openTrack sets it to the
// loudness after the gain, if a measurement or tags that the leveling uses give the loudness. A panic of the decoder
// becomes an error that wraps ErrDecode. Errors do not name src.
func (l *Library) openTrack(src Source, opt *StreamOptions) (t *streamSource, err error) {
	defer recoverPanic("the decoder", &err)
	leveling := cmp.Or(src.Leveling, l.opt.Leveling)
	if err := cmp.Or(leveling.check(), l.opt.rateError(), opt.check()); err != nil {
		return nil, err
	}
	t = &streamSource{lib: l, src: src, lim: l.opt.Limits.withDefaults().bounds()}
	t.lim.Frames, t.lim.Memory = math.MaxInt64, math.MaxInt64
	c, err := t.cursor()
	if err != nil {
		return nil, l.withSimilarName(src, err)
	}
	defer c.close()
	t.clip, t.channels = c.clip, min(c.clip.Channels, 2)
	if err := t.determineLength(c, l.opt.Loop || src.Looped); err != nil {
		return nil, err
	}
	if opt.Measure {
		if err := t.measure(c); err != nil {
			return nil, err
		}
	}
	frames := t.frames
	if !t.counted {
		frames = -1 // unknown
	}
	t.clip.Notes = notesOf(c.r.About(), frames)
	if t.gain, err = t.levelGain(leveling); err != nil {
		return nil, err
	}
	t.gain += opt.Gain
	switch {
	case opt.CountsAs != 0:
	case t.measured:
		opt.CountsAs = streamLevel(t.loudness + pcm.LUFS(t.gain))
	case leveling.Tags && t.clip.Gain != nil:
		opt.CountsAs = streamLevel(pcm.LUFS(source.TagReference - *t.clip.Gain + t.gain))
	}
	return t, nil
}

// determineLength sets t.frames, the length, and t.counted, which reports whether that length is exact. It also sets
// t.clip.Loop. If loop is true, a file without loop points loops as a whole. If the header's length is not exact, it
// reads the rest of the file with the cursor c, but only for a loop or in a format that can be counted without
// decoding. The cursor c is left at an undefined position.
//
// The error is of the file or the decoder. A decoding error is ignored if the header announces a length and no loop
// needs the exact length. A loop of the source outside the file gives an error that wraps ErrLimit.
func (t *streamSource) determineLength(c *cursor, loop bool) error {
	h := c.r.About()
	t.frames = h.Frames
	t.counted = h.Exact
	// Loop tags refer to the exact length.
	needed := loop || t.src.overridesLoop() || h.Loop(math.MaxInt64) != nil || t.frames == 0 && h.CheapCount
	// Concatenated files announce the length of the first one. A truncated file announces more frames than it
	// has; its stream ends with the error at the last frame.
	if needed || h.CheapCount {
		if err := t.count(c); err != nil && (needed || !errors.Is(err, ErrDecode)) {
			return err
		}
	}
	t.clip.Loop = h.Loop(t.frames)
	if err := t.src.overrideLoop(&t.clip, t.frames); err != nil {
		return err
	}
	if t.clip.Loop == nil && loop && t.frames > 0 {
		t.clip.Loop = &pcm.Loop{0, t.frames}
	}
	return nil
}

// count sets t.frames to the exact length in frames, without the padding of the encoder, and sets t.counted. It reads
// through the file with the cursor c, and leaves c at an undefined position. It has no effect if t.counted is already
// set. The error is of the file or the decoder; t.frames then stays unchanged. The caller holds t.mu or has the only
// reference to t.
func (t *streamSource) count(c *cursor) error {
	if t.counted {
		return nil
	}
	h := c.r.About()
	frames, err := c.r.Count(&t.marks)
	if err = cmp.Or(c.in.Err, err); err != nil {
		return err
	}
	t.frames, t.counted = max(frames-h.Front-h.Back, 0), true
	return nil
}

// exactLength returns the exact number of frames of the track at the rate of the file, without the padding of the
// encoder. The first call may read the whole file, and stores the number in t.frames. After an error, which is of the
// file or the decoder, the next call tries again. It takes the mutex t.mu.
func (t *streamSource) exactLength() (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counted {
		return t.frames, nil
	}
	c, err := t.cursor()
	if err != nil {
		return 0, err
	}
	defer c.close()
	err = t.count(c)
	return t.frames, err
}

// measure decodes the whole track with the cursor c and sets t.loudness, t.peak and t.measured. It measures all
// channels of the file, before downmix and gain. c must not be used for playing afterwards. The error is of the file
// or the decoder; the fields then stay unchanged.
func (t *streamSource) measure(c *cursor) error {
	c.downmixer, c.factor = nil, 1 // keep all channels
	if err := c.seek(0); err != nil {
		return err
	}
	m := newMeter(&t.clip)
	x, err := c.read()
	for ; err == nil; x, err = c.read() {
		m.write(x)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	t.measured = true
	t.loudness, t.peak = m.read()
	return nil
}

// levelGain returns the gain in dB that brings this track to the target loudness of l; 0 without a target. Without a
// measurement it uses the loudness from tags, and the gain is at most 0 dB, because the peak is unknown. If l has a
// target, and the loudness is neither measured nor in tags that l may use, the error wraps ErrStream.
func (t *streamSource) levelGain(l Leveling) (pcm.Decibels, error) {
	tagged := l.Tags && t.clip.Gain != nil
	if !t.measured && l.LUFS != 0 && !tagged {
		return 0, source.Errorf(ErrStream, "its loudness is not known without StreamOptions.Measure")
	}
	return l.gain(&t.clip, func() (pcm.LUFS, pcm.Decibels) {
		if !t.measured {
			return source.TagReference, 0 // a peak that prevents raising
		}
		return t.loudness, t.peak
	})
}

// cursor opens the file of the track and returns a cursor that decodes it. The caller must call the cursor's seek
// before read, and closes the cursor. The first call stores the size and modification time of the file in t. If they
// have changed at a later call, the error wraps ErrStream. Other errors are of the file, the format or the decoder; a
// panic of the decoder becomes an error that wraps ErrDecode.
func (t *streamSource) cursor() (c *cursor, err error) {
	in, err := t.src.input()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = in.Close()
		}
	}()
	defer recoverPanic("the decoder", &err)
	switch {
	case t.size == 0:
		t.size, t.modified = in.Size, in.Modified
	case t.size != in.Size || !t.modified.Equal(in.Modified):
		return nil, source.Errorf(ErrStream, "the file has changed since it was opened")
	}
	f, err := formatOf(in)
	if err != nil {
		return nil, err
	}
	r, err := f.open(in, t.lim)
	if err = cmp.Or(in.Err, err); err != nil {
		return nil, err
	}
	c = &cursor{track: t, in: in, r: r, marks: &t.marks, clip: f.clip(r.About()), factor: 1}
	c.downmixer = c.clip.downmixer()
	if t.gain != 0 {
		c.factor = t.gain.Linear()
	}
	return c, nil
}

// origin reads the frames of a mono or stereo sound from any position, at the sound's own rate.
type origin interface {
	// seek makes read continue at a frame.
	seek(frame int64) error

	// read returns the next frames, at least one, interleaved. They are valid until the next call. The error is
	// io.EOF at the end.
	read() ([]float32, error)

	// length returns the number of frames after read has returned io.EOF.
	length() int64

	close()
}

// cursor decodes a track from any position. It removes the padding of the encoder, checks the samples,
// downmixes them and applies the gain. Its memory is bounded by the size of a packet.
type cursor struct {
	track     *streamSource
	in        *source.Input
	r         source.Reader
	marks     *source.Marks
	downmixer downmixer
	factor    float64 // of the gain

	clip     Clip           // decoded frames that have not been read
	consumed int64          // frames of clip that were read
	skip     int64          // frames of clip to skip before the seek position
	at       int64          // the next frame of read
	decoded  int64          // frame number of the end of clip, padding included
	end      error          // the error after clip
	pending  *source.Damage // the last damaged place, which may still grow; nil: already reported
	out      []float32
}

var _ origin = (*cursor)(nil)

// seek makes the next read begin at the given frame of the sound, counted without the padding of the encoder. It
// first reports a damaged place that is still pending. Damage found while seeking is dropped. The error is of the
// file or the decoder; later calls of read return it, too.
func (c *cursor) seek(frame int64) error {
	front := c.r.About().Front
	at, err := c.r.SeekFrame(frame+front, c.marks)
	err = cmp.Or(c.in.Err, err)
	c.reportDamage()
	c.r.About().DrainDamages() // discard damage found while seeking
	c.clip.Samples, c.consumed, c.end = c.clip.Samples[:0], 0, err
	c.at, c.decoded, c.skip = frame, at, frame+front-at
	return err
}

// read returns the interleaved samples of the next frames, at least one. They are downmixed to mono or stereo,
// multiplied by the gain of the stream, and valid until the next call. The padding at the end of the file is left out.
// Damaged places are reported to the library as read passes them; with Options.Strict the first one ends the file.
//
// After the last frame it returns the error that ended the file. This is io.EOF at the end, an error of reading the
// file, or an error that wraps ErrDecode. An invalid sample ends the file with ErrDecode, after the frames before it.
func (c *cursor) read() ([]float32, error) {
	channels, back := int64(c.clip.Channels), c.r.About().Back
	for {
		n := min(c.skip, c.clip.Frames()-c.consumed)
		c.skip -= n
		c.consumed += n
		if n = c.clip.Frames() - c.consumed - back; n > 0 {
			samples := c.clip.Samples[c.consumed*channels : (c.consumed+n)*channels]
			c.consumed += n
			if good := int64(countValid(samples)) / channels; good < n {
				c.end = checkSamples(samples, int(channels), c.at)
				c.clip.Samples = c.clip.Samples[:0]
				samples, n, c.consumed = samples[:good*channels], good, 0
			}
			if n > 0 {
				c.at += n
				c.out = c.downmixer.mix(c.out[:0], samples)
				amplify(c.out, c.factor)
				return c.out, nil
			}
		}
		if c.end != nil {
			return nil, c.end
		}
		c.clip.Samples = c.clip.Samples[:copy(c.clip.Samples, c.clip.Samples[c.consumed*channels:])]
		c.consumed = 0
		old := c.clip.Frames()
		c.clip.Samples, c.end = c.r.Next(c.clip.Samples)
		c.decoded += c.clip.Frames() - old
		c.end = cmp.Or(c.in.Err, c.end)
		c.collectDamage(old)
	}
}

// collectDamage collects the damaged places that the decoder found in the newly decoded frames of c.clip. old is the
// number of frames that clip had before. Adjacent places are joined in c.pending, and each place is reported to the
// library when its end is known. With Options.Strict collectDamage instead removes the new frames from c.clip, and
// sets c.end to the error of the first place, so that read ends there.
func (c *cursor) collectDamage(old int64) {
	for _, d := range c.r.About().DrainDamages() {
		if lib := c.track.lib; lib != nil && lib.opt.Strict {
			c.clip.Samples, c.end = c.clip.Samples[:old*int64(c.clip.Channels)], d.Err
			return
		}
		if p := c.pending; p != nil && d.Frame <= p.Frame+p.Frames {
			p.Frames = max(p.Frames, d.Frame+d.Frames-p.Frame)
			continue
		}
		c.reportDamage()
		c.pending = &d
	}
	if p := c.pending; p != nil && (c.end != nil || c.decoded > p.Frame+p.Frames) {
		c.reportDamage()
	}
}

// reportDamage reports the pending damaged place c.pending to the library and clears c.pending. It has no effect if no
// place is pending. At the end of the file the place is clipped to the length of the sound.
func (c *cursor) reportDamage() {
	if lib := c.track.lib; lib != nil && c.pending != nil {
		frames := int64(math.MaxInt64)
		if errors.Is(c.end, io.EOF) {
			frames = c.length()
		}
		lib.reportDamages(c.track.src, damagesOf([]source.Damage{*c.pending}, c.clip.Rate, c.r.About().Front, frames)...)
	}
	c.pending = nil
}

// length returns the number of frames of the sound, without padding, that have been decoded. After read has returned
// io.EOF, this is the length of the sound.
func (c *cursor) length() int64 {
	h := c.r.About()
	return max(c.decoded-h.Front-h.Back, 0)
}

// close reports the pending damaged place and closes the file, whose error is ignored.
func (c *cursor) close() {
	c.reportDamage()
	_ = c.in.Close()
}
