package sounds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"voicepool/pcm"
	"voicepool/voice"
)

// Library holds prepared sounds, all at one rate. A source is read and decoded
// once, however many ask for it, also at the same time; what could not be
// loaded is tried again when asked for again. All methods: control side, any
// goroutine. A Library has no goroutines of its own and needs no Close.
type Library struct {
	opt     Options
	filters filters
	spares  spares
	mu      sync.Mutex
	entries map[sourceKey]*entry
	infos   map[*voice.Sound]Info
	more    chan struct{}           // closed when another sound is there
	damaged map[damagedFile][]int64 // the frames of Options.OnDamage
	sought  int                     // missing files for which withNearby has searched
}

// entry is a sound in the library, or on its way there until done is closed.
type entry struct {
	done  chan struct{}
	src   Source
	sound *voice.Sound
	err   error
}

// ready reports whether a sound is there.
func (e *entry) ready() bool {
	select {
	case <-e.done:
		return e.err == nil
	default:
		return false
	}
}

// NewLibrary returns an empty library.
func NewLibrary(opt Options) *Library {
	return &Library{opt: opt, entries: map[sourceKey]*entry{}, infos: map[*voice.Sound]Info{}, more: make(chan struct{}), damaged: map[damagedFile][]int64{}}
}

// Rate returns the rate of all sounds of the library, in Hz.
func (l *Library) Rate() int { return l.opt.rate() }

// LoadFile returns the sound of a file.
func (l *Library) LoadFile(path string) (*voice.Sound, error) {
	return l.load(context.Background(), Source{File: path})
}

// LoadFS returns the sound of a file of fsys.
func (l *Library) LoadFS(fsys fs.FS, name string) (*voice.Sound, error) {
	return l.load(context.Background(), Source{File: name, FS: fsys})
}

// Load returns the sounds of all sources, in their order, loading as many at a
// time as there are processors. Of several errors it returns the one that comes
// first in the order of sources; sounds that were loaded all the same stay in
// the library. When ctx ends, so does Load, with its error.
func (l *Library) Load(ctx context.Context, sources ...Source) ([]*voice.Sound, error) {
	loaded := make([]*voice.Sound, len(sources))
	errs := make([]error, len(sources))
	l.LoadEach(ctx, sources, func(i int, s *voice.Sound, err error) bool {
		loaded[i], errs[i] = s, err
		return err == nil
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return loaded, nil
}

// LoadEach loads sources as Load does, and calls done with the index of each as
// soon as it is there or has failed: one call at a time, from any goroutine, in
// no order. Sources are begun in their order, until a call returns false. It
// comes back when the last of the calls has. A panic of done is one of LoadEach.
func (l *Library) LoadEach(ctx context.Context, sources []Source, done func(i int, s *voice.Sound, err error) bool) {
	var (
		next    atomic.Int64 // the source to begin
		telling sync.Mutex
		wait    sync.WaitGroup
		failed  any // what a call of done panicked with
	)
	tell := func(i int, s *voice.Sound, err error) (more bool) {
		telling.Lock()
		defer telling.Unlock()
		defer func() {
			if p := recover(); p != nil {
				failed = p
			}
			if !more {
				next.Store(int64(len(sources)))
			}
		}()
		return failed == nil && done(i, s, err)
	}
	for range min(len(sources), runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(sources); i = int(next.Add(1)) - 1 {
				s, err := l.load(ctx, sources[i])
				tell(i, s, err)
			}
		})
	}
	wait.Wait()
	if failed != nil {
		panic(failed)
	}
}

// Info returns what is known of a sound of this library.
func (l *Library) Info(s *voice.Sound) (Info, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, ok := l.infos[s]
	if ok && !s.Streamed() {
		info.Bytes = s.Bytes() // it may have been made ready for pitches since
	}
	return info, ok
}

// Infos returns what is known of all sounds of this library, streams included, by their files.
func (l *Library) Infos() []Info {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Collect(maps.Values(l.infos))
	slices.SortFunc(list, func(x, y Info) int { return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Name, y.Name)) })
	return list
}

// Forget drops a sound, loaded or a stream, that nobody will ask for again: it is
// loaded anew if somebody does. Voices that play it, and who holds it, keep it.
func (l *Library) Forget(s *voice.Sound) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, ok := l.infos[s]
	delete(l.infos, s)
	for key, e := range l.entries {
		if e.ready() && e.sound == s {
			delete(l.entries, key)
		}
	}
	for _, other := range l.infos {
		ok = ok && other.File != info.File
	}
	if ok {
		l.forgetDamages(info.File)
	}
}

// Bytes returns how much memory the sounds of the library take.
func (l *Library) Bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := int64(0)
	for s := range l.infos {
		sum += s.Bytes()
	}
	return sum
}

// load returns what is there, waits for what is on its way, or brings it.
func (l *Library) load(ctx context.Context, src Source) (*voice.Sound, error) {
	if err := src.Leveling.valid(); err != nil { // a NaN would be a key that nobody finds again
		return nil, named(src.label(), err)
	}
	key := src.key()
	for {
		l.mu.Lock()
		e, ok := l.entries[key]
		if !ok {
			e = &entry{done: make(chan struct{}), src: src}
			l.entries[key] = e
		}
		l.mu.Unlock()
		if !ok {
			l.bring(ctx, key, e)
			return e.sound, e.err
		}
		select {
		case <-e.done:
		case <-ctx.Done():
			return nil, named(src.label(), fmt.Errorf("given up: %w", ctx.Err()))
		}
		if !errors.Is(e.err, context.Canceled) && !errors.Is(e.err, context.DeadlineExceeded) || ctx.Err() != nil {
			return e.sound, e.err
		}
		// It was given up by whoever began it, which is not our doing.
	}
}

// bring loads the sound of an entry, keeps what is known of it, and says so to those who
// look at the files. A failure is forgotten.
func (l *Library) bring(ctx context.Context, key sourceKey, e *entry) {
	sound, info, err := l.read(ctx, e.src, l.opt)
	l.mu.Lock()
	defer l.mu.Unlock()
	e.sound, e.err = sound, err
	close(e.done)
	if err != nil {
		delete(l.entries, key)
		return
	}
	l.infos[sound] = info
	close(l.more)
	l.more = make(chan struct{})
}

// read makes a sound of a source. A file system that panics is an error: others may be
// waiting for the same sound.
func (l *Library) read(ctx context.Context, src Source, opt Options) (_ *voice.Sound, _ Info, err error) {
	defer func() { err = named(src.label(), err) }()
	defer rescue("the source", &err)
	opt.Loop = opt.Loop || src.Looped
	opt.Masking = opt.Masking || src.Masking
	room := l.spares.take() // what failed may be at work in it still, so it is given back at the end alone
	clip, err := decode(ctx, src.open, opt.Limits.withDefaults(), room)
	if err != nil {
		return nil, Info{}, l.withNearby(src, err)
	}
	if err := opt.refuse(clip.Damages); err != nil {
		return nil, Info{}, err
	}
	l.tell(src, clip.Damages...)
	if region, err := src.region(clip.Rate, clip.Frames()); err != nil {
		return nil, Info{}, err
	} else if region != nil {
		clip.Loop = region
	}
	opt.Leveling = cmp.Or(src.Leveling, opt.Leveling)
	info := Describe(clip, opt.Measure)
	measured := clip.measure
	if info.Measured {
		measured = func() (pcm.LUFS, pcm.Decibels) { return info.Loudness, info.TruePeak }
	}
	sound, gain, err := prepare(ctx, clip, opt, measured, src.title(), src.path(), &l.filters, room)
	if err != nil {
		return nil, Info{}, err
	}
	l.spares.give(room)
	info.Gain = gain
	info.Name, info.File, info.Bytes = sound.Name(), src.File, sound.Bytes()
	return sound, info, nil
}

// Files returns the files of the operating system whose sounds are in the library,
// sorted, and a channel that is closed when another sound is there. Control side,
// any goroutine.
func (l *Library) Files() (files []string, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, e := range l.entries {
		if key.fsys == nil && e.ready() {
			files = append(files, key.File)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), l.more
}

// Reload reads a file of the operating system again, in each way in which the library
// has loaded it, and calls changed for each, unless ctx has ended.
//
// From then on the library has the new sound, for whoever asks. The old one stays
// valid for who holds it: voices that play it go on with it, and its memory is
// free when the last has let go. A file that cannot be read, is half written, damaged or
// gone, leaves the old sound in the library; changed is then told old and
// the error. Control side, any goroutine.
func (l *Library) Reload(ctx context.Context, file string, changed func(old, now *voice.Sound, err error)) {
	l.mu.Lock()
	var loaded []*entry // in several ways
	for key, e := range l.entries {
		if key.File == file && key.fsys == nil && e.ready() {
			loaded = append(loaded, e)
		}
	}
	l.mu.Unlock()
	for _, e := range loaded {
		if now, err := l.renew(ctx, e); ctx.Err() == nil && (now != nil || err != nil) {
			changed(e.sound, now, err)
		}
	}
}

// renew reads a sound again, and puts it into the place of the old one, unless
// something else stands there by now.
func (l *Library) renew(ctx context.Context, e *entry) (*voice.Sound, error) {
	opt := l.opt
	opt.Strict = true // it may be half written
	sound, info, err := l.read(ctx, e.src, opt)
	if err != nil {
		return nil, err
	}
	now := &entry{done: e.done, src: e.src, sound: sound}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries[e.src.key()] != e {
		return nil, nil
	}
	l.entries[e.src.key()] = now
	delete(l.infos, e.sound)
	l.infos[sound] = info
	l.forgetDamages(e.src.label())
	return sound, nil
}
