package library

import (
	"errors"
	"io"
	"slices"
	"sync"

	"voicepool/pcm"
	"voicepool/sounds"
)

// Queue is a stream that plays several files without gaps. Sources can be added while it plays. A voice that
// has played all sources has ended; voices that are still playing, and new ones, also play the sources added
// later. All methods: control side, any goroutine.
type Queue struct {
	lib   *Library
	opt   StreamOptions
	name  string
	sound *sounds.Sound

	mu      sync.Mutex
	runs    [][]*streamSource
	readers map[*queueReader]bool
}

// NewQueue returns a queue that plays the given sources in order without gaps. There may be no source yet. name is
// for reports. opt.CountsAs is the loudness that the mixer assumes for the whole queue when it chooses a voice to
// steal. If a source cannot be opened, the queue is empty but valid, and the error names the first such source. If an
// option is invalid, the queue is nil.
//
// Each file is played once; loop points are ignored. Consecutive sources of one call are resampled as one signal if
// they have the same rate and are all mono or all stereo after the downmix. Album tracks then continue seamlessly.
// Other sources are converted separately.
func (l *Library) NewQueue(name string, opt StreamOptions, sources ...Source) (*Queue, error) {
	if err := opt.check(); err != nil {
		return nil, withName(name, err)
	}
	q := &Queue{lib: l, opt: opt, name: name, readers: map[*queueReader]bool{}}
	sound, err := sounds.NewStream(sounds.Stream{Name: name, Rate: l.Rate(), Level: pcm.Decibels(opt.CountsAs), Open: q.open})
	if err != nil {
		return nil, withName(name, err)
	}
	q.sound = sound
	return q, q.Add(sources...)
}

// Sound returns the sound that plays the queue from its first source, the same sound at every call. Its length is
// unknown.
func (q *Queue) Sound() *sounds.Sound { return q.sound }

// Add appends sources to the queue. It opens each source to read its header; with StreamOptions.Measure it decodes the
// whole file. If a source cannot be opened, the queue stays unchanged, and the error names that source. An invalid
// Source.Loop is also an error, although the queue ignores loops. A voice that has decoded the queue to its end, but
// has not ended yet, continues with the new sources.
func (q *Queue) Add(sources ...Source) error {
	var runs [][]*streamSource
	for _, src := range sources {
		opt := q.opt
		t, err := q.lib.openTrack(src, &opt)
		if err != nil {
			return withName(src.label(), err)
		}
		if n := len(runs); n > 0 && runs[n-1][0].clip.Rate == t.clip.Rate && runs[n-1][0].channels == t.channels {
			runs[n-1] = append(runs[n-1], t)
		} else {
			runs = append(runs, []*streamSource{t})
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.runs = append(q.runs, runs...)
	for r := range q.readers {
		if r.next < len(q.runs) {
			r.buffer.Reopen()
			select {
			case r.added <- struct{}{}:
			default:
			}
		}
	}
	return nil
}

// open starts the playback of the queue for one voice, which plays the range c. It returns the buffer with the
// frames, and starts a goroutine that decodes into this buffer. A reader of the voice is registered in q.readers, so
// that Add can wake it, until the reader is closed. The error is always nil.
func (q *Queue) open(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
	r := &queueReader{queue: q, from: c.From, added: make(chan struct{}, 1)}
	r.onError = q.opt.errorHandler(q.name)
	f := newDecodeAhead(q.opt.Ahead, q.lib.Rate(), c, r, r.onError)
	f.hasMore, f.wakeUp, r.buffer = r.hasMore, r.added, f.buffer
	q.mu.Lock()
	q.readers[r] = true
	q.mu.Unlock()
	go f.run()
	return f.buffer, nil
}

// queueReader reads the queue for one voice.
type queueReader struct {
	queue     *Queue
	buffer    *sounds.StreamBuffer
	added     chan struct{}
	onError   func(error)
	from      int64        // frames that are still to skip
	current   *rangeReader // nil: between two runs
	run       *runOrigin
	remaining []*streamSource // remaining tracks of a run after a broken track
	next      int             // index of the next run; protected by the queue's lock
}

// hasMore reports whether the queue has sources that r has not started. If it has no such source, hasMore ends the
// buffer of the voice: no frames will follow. It holds the queue's lock, so that Add cannot append sources between the
// check and the end.
func (r *queueReader) hasMore() bool {
	r.queue.mu.Lock()
	defer r.queue.mu.Unlock()
	if r.next < len(r.queue.runs) {
		return true
	}
	r.buffer.End()
	return false
}

// Read decodes the next frames of the queue into the beginning of dst and returns their number. If a file is broken,
// Read reports its error to r.onError and continues with the next file. It returns io.EOF at the end of the queue.
// After Add, later calls return the frames of the new sources.
func (r *queueReader) Read(dst []pcm.Frame) (int, error) {
	for {
		if r.current == nil && !r.startNextRun() {
			return 0, io.EOF
		}
		n, err := r.current.Read(dst)
		if err == nil {
			return n, nil
		}
		if !errors.Is(err, io.EOF) {
			r.onError(err)
			if i := r.run.index + 1; i < len(r.run.tracks) {
				r.remaining = r.run.tracks[i:]
			}
		}
		_ = r.current.Close()
		r.current = nil
		if n > 0 {
			return n, nil
		}
	}
}

// startNextRun starts the next run of the queue: the sources that are resampled as one signal. After a broken file,
// the rest of its run comes first. It sets r.run and r.current, and returns false if no run follows.
//
// r.from is the number of frames that a voice still has to skip at its start. If it is above 0, startNextRun may read
// the whole files of the run to count their frames. It reports their errors to r.onError, and reduces r.from by the
// frames of the run.
func (r *queueReader) startNextRun() bool {
	tracks := r.remaining
	r.remaining = nil
	if len(tracks) == 0 {
		r.queue.mu.Lock()
		if r.next < len(r.queue.runs) {
			tracks = r.queue.runs[r.next]
			r.next++
		}
		r.queue.mu.Unlock()
	}
	if len(tracks) == 0 {
		return false
	}
	r.run = &runOrigin{tracks: tracks}
	from := r.from
	p := r.queue.lib.conversionFrom(tracks[0].clip.Rate, nil)
	if r.from = 0; from > 0 {
		total, err := r.run.total()
		if err != nil {
			r.onError(err)
		}
		r.from = max(from-p.total(total), 0)
	}
	r.current = newRangeReader(r.run, tracks[0].channels, p, sounds.PlayRange{From: from})
	return true
}

// Close removes the reader from its queue, under the queue's lock, and closes the open file. The error is always nil.
func (r *queueReader) Close() error {
	r.queue.mu.Lock()
	delete(r.queue.readers, r)
	r.queue.mu.Unlock()
	if r.current != nil {
		return r.current.Close()
	}
	return nil
}

// runOrigin presents several tracks with equal rates and channels as one origin.
type runOrigin struct {
	tracks       []*streamSource
	current      *cursor
	index        int   // index of the current track
	framesBefore int64 // frames of the tracks before it
}

// total returns the sum of the frames of all tracks, at the rate of the files. It may have to read whole files to
// count their frames. If this fails for a track, it returns 0 and the error of that track.
func (o *runOrigin) total() (int64, error) {
	sum := int64(0)
	for _, t := range o.tracks {
		n, err := t.exactLength()
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// seek opens the track that contains the given frame, and makes the next read begin there. Frames count from the
// beginning of the first track. A frame beyond the end is passed on to the last track. seek may have to read whole
// files to count their frames. It returns the error if a track cannot be counted or opened, or if the seek in it fails.
func (o *runOrigin) seek(frame int64) error {
	i, before := 0, int64(0)
	for ; frame > 0 && i+1 < len(o.tracks); i++ {
		n, err := o.tracks[i].exactLength()
		if err != nil {
			return err
		}
		if frame < before+n {
			break
		}
		before += n
	}
	return o.openTrack(i, before, frame-before)
}

// openTrack closes the current track, opens track number i, and makes the next read begin at the given frame of that
// track. before is the number of frames in the tracks before it. If i is beyond the last track, no track is open and
// read returns io.EOF. The error is of opening the track or of its seek.
func (o *runOrigin) openTrack(i int, before, frame int64) error {
	o.close()
	o.index, o.framesBefore, o.current = i, before, nil
	if i >= len(o.tracks) {
		return nil
	}
	now, err := o.tracks[i].cursor()
	if err != nil {
		return err
	}
	o.current = now
	return now.seek(frame)
}

// read returns the interleaved samples of the next frames, valid until the next call. At the end of a track it opens
// the next one and continues there. It returns io.EOF after the last track, and otherwise the error of a track.
func (o *runOrigin) read() ([]float32, error) {
	for o.current != nil {
		x, err := o.current.read()
		if !errors.Is(err, io.EOF) {
			return x, err
		}
		if o.index+1 >= len(o.tracks) {
			return nil, io.EOF
		}
		if err := o.openTrack(o.index+1, o.length(), 0); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// length returns the number of frames from the beginning of the first track to the last frame that was decoded.
func (o *runOrigin) length() int64 {
	if o.current == nil {
		return o.framesBefore
	}
	return o.framesBefore + o.current.length()
}

// close closes the present track, if there is one.
func (o *runOrigin) close() {
	if o.current != nil {
		o.current.close()
	}
}

// Sources returns the number of sources that have been added.
func (q *Queue) Sources() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(slices.Concat(q.runs...))
}
