package sounds

import (
	"errors"
	"io"
	"slices"
	"sync"

	"voicepool/pcm"
	"voicepool/voice"
)

// Queue is a stream of several files, one after the other without a gap, to
// which more can be added while it plays. A voice that has come to its end has
// ended: what is added later is heard by those that are not there yet, and by
// those that begin anew. All methods: control side, any goroutine.
type Queue struct {
	lib   *Library
	opt   StreamOptions
	name  string
	sound *voice.Sound

	mu      sync.Mutex
	runs    [][]*track
	readers map[*queueReader]bool
}

// NewQueue returns a queue of sources, which may be none yet. Of the options
// CountsAs is that of all of them. The error names the source that cannot be had.
//
// The loop points of files do not count; each is played once. Sources that are
// given in one call and have the same rate are converted to the library's as one:
// tracks of an album that go on into each other stay whole. Others are converted
// as if they stood alone.
func (l *Library) NewQueue(name string, opt StreamOptions, sources ...Source) (*Queue, error) {
	if err := opt.valid(); err != nil {
		return nil, named(name, err)
	}
	q := &Queue{lib: l, opt: opt, name: name, readers: map[*queueReader]bool{}}
	sound, err := voice.NewStream(voice.Stream{Name: name, Rate: l.Rate(), Level: pcm.Decibels(opt.CountsAs), Open: q.open})
	if err != nil {
		return nil, named(name, err)
	}
	q.sound = sound
	return q, q.Add(sources...)
}

// Sound returns what plays the queue from its first source on. Its length is not
// known.
func (q *Queue) Sound() *voice.Sound { return q.sound }

// Add puts sources behind those that are there. If one cannot be had, none is
// added.
func (q *Queue) Add(sources ...Source) error {
	var runs [][]*track
	for _, src := range sources {
		opt := q.opt
		t, err := q.lib.openTrack(src, &opt)
		if err != nil {
			return named(src.label(), err)
		}
		if n := len(runs); n > 0 && runs[n-1][0].clip.Rate == t.clip.Rate && runs[n-1][0].channels == t.channels {
			runs[n-1] = append(runs[n-1], t)
		} else {
			runs = append(runs, []*track{t})
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.runs = append(q.runs, runs...)
	for r := range q.readers {
		if r.next < len(q.runs) {
			r.feed.Reopen()
			select {
			case r.news <- struct{}{}:
			default:
			}
		}
	}
	return nil
}

// open begins to decode for a voice.
func (q *Queue) open(c voice.Course) (*voice.Feed, error) {
	r := &queueReader{queue: q, from: c.From, news: make(chan struct{}, 1)}
	r.fail = q.opt.failure(q.name)
	f := newFeeder(q.opt.Ahead, q.lib.Rate(), c, r, r.fail)
	f.more, f.news, r.feed = r.more, r.news, f.feed
	q.mu.Lock()
	q.readers[r] = true
	q.mu.Unlock()
	go f.run()
	return f.feed, nil
}

// queueReader is a queue as one voice plays it.
type queueReader struct {
	queue *Queue
	feed  *voice.Feed
	news  chan struct{}
	fail  func(error)
	from  int64   // frames that are still to be passed over
	now   *course // nil: between two
	run   *runOrigin
	rest  []*track // of a run of which a track was broken
	next  int      // the run that comes then; it is changed under the queue's lock
}

// more says whether the queue has more than has been read, and ends the feed if
// not.
func (r *queueReader) more() bool {
	r.queue.mu.Lock()
	defer r.queue.mu.Unlock()
	if r.next < len(r.queue.runs) {
		return true
	}
	r.feed.End()
	return false
}

// Read goes on with the next file where one is broken.
func (r *queueReader) Read(dst []pcm.Frame) (int, error) {
	for {
		if r.now == nil && !r.turn() {
			return 0, io.EOF
		}
		n, err := r.now.Read(dst)
		if err == nil {
			return n, nil
		}
		if !errors.Is(err, io.EOF) {
			r.fail(err)
			if i := r.run.i + 1; i < len(r.run.tracks) {
				r.rest = r.run.tracks[i:]
			}
		}
		_ = r.now.Close()
		r.now = nil
		if n > 0 {
			return n, nil
		}
	}
}

// turn begins the next run; false if there is none.
func (r *queueReader) turn() bool {
	tracks := r.rest
	r.rest = nil
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
	p := r.queue.lib.planOf(tracks[0].clip.Rate, nil)
	if r.from = 0; from > 0 {
		total, err := r.run.total()
		if err != nil {
			r.fail(err)
		}
		r.from = max(from-p.total(total), 0)
	}
	r.now = newCourse(r.run, tracks[0].channels, p, voice.Course{From: from})
	return true
}

// Close takes the reader off its queue.
func (r *queueReader) Close() error {
	r.queue.mu.Lock()
	delete(r.queue.readers, r)
	r.queue.mu.Unlock()
	if r.now != nil {
		return r.now.Close()
	}
	return nil
}

// runOrigin is tracks of the same kind as one.
type runOrigin struct {
	tracks []*track
	now    *cursor
	i      int   // which of the tracks it is in
	before int64 // frames of those before it
}

// total returns how many frames all tracks have.
func (o *runOrigin) total() (int64, error) {
	sum := int64(0)
	for _, t := range o.tracks {
		n, err := t.exact()
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func (o *runOrigin) seek(frame int64) error {
	i, before := 0, int64(0)
	for ; frame > 0 && i+1 < len(o.tracks); i++ {
		n, err := o.tracks[i].exact()
		if err != nil {
			return err
		}
		if frame < before+n {
			break
		}
		before += n
	}
	return o.enter(i, before, frame-before)
}

// enter opens a track at a frame of it.
func (o *runOrigin) enter(i int, before, frame int64) error {
	o.close()
	o.i, o.before, o.now = i, before, nil
	if i >= len(o.tracks) {
		return nil
	}
	now, err := o.tracks[i].cursor()
	if err != nil {
		return err
	}
	o.now = now
	return now.seek(frame)
}

func (o *runOrigin) read() ([]float32, error) {
	for o.now != nil {
		x, err := o.now.read()
		if !errors.Is(err, io.EOF) {
			return x, err
		}
		if o.i+1 >= len(o.tracks) {
			return nil, io.EOF
		}
		if err := o.enter(o.i+1, o.length(), 0); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

func (o *runOrigin) length() int64 {
	if o.now == nil {
		return o.before
	}
	return o.before + o.now.length()
}

func (o *runOrigin) close() {
	if o.now != nil {
		o.now.close()
	}
}

// Sources returns how many sources have been added.
func (q *Queue) Sources() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(slices.Concat(q.runs...))
}
