package library

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
	"voicepool/sounds"
)

// Library loads sounds and keeps them in memory, all converted to one sample rate. A source is read and
// decoded once, even if several goroutines request it at the same time. A source that failed to load is
// tried again at the next request. All methods: control side, any goroutine. A Library has no goroutines of
// its own and needs no Close.
type Library struct {
	opt             Options
	filters         filterCache
	buffers         sync.Pool // of *workBuffers
	mu              sync.Mutex
	entries         map[sourceKey]*entry
	infos           map[*sounds.Sound]Info
	loaded          chan struct{}           // closed when another sound has been loaded
	damaged         map[damagedFile][]int64 // frames already reported to Options.OnDamage
	similarSearches int                     // number of missing files that withSimilarName has handled
}

// entry is a sound of the library. It is still loading until done is closed.
type entry struct {
	done  chan struct{}
	src   Source
	sound *sounds.Sound
	err   error
}

// ready reports whether e has been loaded without an error. It never waits, and returns false while e is loading.
func (e *entry) ready() bool {
	select {
	case <-e.done:
		return e.err == nil
	default:
		return false
	}
}

// NewLibrary returns an empty library. Invalid options are reported when a sound is loaded.
func NewLibrary(opt Options) *Library {
	return &Library{opt: opt, buffers: sync.Pool{New: func() any { return &workBuffers{} }}, entries: map[sourceKey]*entry{}, infos: map[*sounds.Sound]Info{}, loaded: make(chan struct{}), damaged: map[damagedFile][]int64{}}
}

// Rate returns the rate of all sounds of the library, in Hz.
func (l *Library) Rate() int { return l.opt.rate() }

// LoadFile returns the sound of the file at path of the operating system. The first call loads the file; later and
// concurrent calls return the same sound. A failure is not remembered: the next call tries again. The error names the
// file and wraps an error that Decode lists.
func (l *Library) LoadFile(path string) (*sounds.Sound, error) {
	return l.load(context.Background(), Source{File: path})
}

// LoadFS returns the sound of the file name in fsys. The first call loads the file; later and concurrent calls return
// the same sound. A failure is not remembered: the next call tries again. The error names the file and wraps an error
// that Decode lists.
func (l *Library) LoadFS(fsys fs.FS, name string) (*sounds.Sound, error) {
	return l.load(context.Background(), Source{File: name, FS: fsys})
}

// Load returns the sounds of all sources, in their order. It loads several at a time, as many as there are
// processors, and waits for all. After a failure, or when ctx ends, it starts no further ones. It then returns nil
// and the error of the failed source that is first in the argument list. Sounds that were loaded stay in the library.
// If ctx ends, the error wraps the error of ctx.
func (l *Library) Load(ctx context.Context, sources ...Source) ([]*sounds.Sound, error) {
	loaded := make([]*sounds.Sound, len(sources))
	errs := make([]error, len(sources))
	l.LoadEach(ctx, sources, func(i int, s *sounds.Sound, err error) bool {
		loaded[i], errs[i] = s, err
		return err == nil
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return loaded, nil
}

// LoadEach loads sources, as many at a time as there are processors, and returns when all are done. It calls done for
// each source that it has tried, with the index i of the source. s is the sound, or nil if err is not nil. The calls
// come one at a time, from any goroutine and in any order. When ctx ends, the sources that are not loaded yet fail
// with an error that wraps the error of ctx.
//
// If done returns false, no further source is started; done is still called for the sources that are being loaded. If
// done panics, it is not called again, and LoadEach panics with the same value.
func (l *Library) LoadEach(ctx context.Context, sources []Source, done func(i int, s *sounds.Sound, err error) bool) {
	var (
		next          atomic.Int64 // the next source to load
		callbackMutex sync.Mutex
		group         sync.WaitGroup
		failed        any // the value with which done panicked
	)
	report := func(i int, s *sounds.Sound, err error) (more bool) {
		callbackMutex.Lock()
		defer callbackMutex.Unlock()
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
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(sources); i = int(next.Add(1)) - 1 {
				s, err := l.load(ctx, sources[i])
				report(i, s, err)
			}
		})
	}
	group.Wait()
	if failed != nil {
		panic(failed)
	}
}

// Unloaded returns a placeholder for the sound of src, which is not read: see sounds.NewUnloaded. It has the name and
// the file that the loaded sound would have. The library does not keep it.
func (l *Library) Unloaded(src Source) *sounds.Sound {
	return sounds.NewUnloaded(src.title(), src.path(), l.Rate())
}

// Info returns the information about s, a sound or stream of this library. Info.Bytes is the memory that the sound
// takes now. If s is not in the library, as after Forget, Info returns a zero Info and false.
func (l *Library) Info(s *sounds.Sound) (Info, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, ok := l.infos[s]
	if ok && !s.Streamed() {
		info.Bytes = s.Bytes() // versions for pitches may have been added
	}
	return info, ok
}

// Infos returns the information about all sounds of this library, including streams, sorted by file and then by name.
// Info.Bytes is the memory at the time of loading.
func (l *Library) Infos() []Info {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Collect(maps.Values(l.infos))
	slices.SortFunc(list, func(x, y Info) int { return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Name, y.Name)) })
	return list
}

// Sounds returns all sounds and streams of this library, in no particular order.
func (l *Library) Sounds() []*sounds.Sound {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.infos))
}

// Forget removes sounds and streams from the library. The next Load of their files reads the files again. Voices that
// play a sound, and other references to it, keep it in memory. After the last sound of a file, damaged places of the
// file are reported to OnDamage again at the next loading. Forget ignores a sound that is not in the library.
func (l *Library) Forget(all ...*sounds.Sound) {
	l.mu.Lock()
	defer l.mu.Unlock()
	forgotten, files := map[*sounds.Sound]bool{}, map[string]bool{}
	for _, s := range all {
		if info, ok := l.infos[s]; ok {
			forgotten[s], files[info.File] = true, true
			delete(l.infos, s)
		}
	}
	for key, e := range l.entries {
		if e.ready() && forgotten[e.sound] {
			delete(l.entries, key)
		}
	}
	for _, other := range l.infos {
		delete(files, other.File)
	}
	for file := range files {
		l.clearDamages(file)
	}
}

// Bytes returns the present memory of all sounds and streams of the library, in bytes.
func (l *Library) Bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := int64(0)
	for s := range l.infos {
		sum += s.Bytes()
	}
	return sum
}

// load returns the sound of src from the library, and loads it if it is missing. If another goroutine is loading it,
// load waits for the result. If that goroutine gives up because its own ctx has ended, load tries again. When ctx
// ends, the error wraps the error of ctx. An invalid src.Leveling gives an error that wraps ErrLimit. Errors name
// src.
func (l *Library) load(ctx context.Context, src Source) (*sounds.Sound, error) {
	if err := src.Leveling.check(); err != nil { // a NaN in the key could never be found again
		return nil, withName(src.label(), err)
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
			l.loadEntry(ctx, key, e)
			return e.sound, e.err
		}
		select {
		case <-e.done:
		case <-ctx.Done():
			return nil, withName(src.label(), fmt.Errorf("given up: %w", ctx.Err()))
		}
		if !errors.Is(e.err, context.Canceled) && !errors.Is(e.err, context.DeadlineExceeded) || ctx.Err() != nil {
			return e.sound, e.err
		}
		// The goroutine that started it was canceled; try again.
	}
}

// loadEntry loads the sound of e.src and stores the sound, or the error, in the entry e. It then wakes the goroutines
// that wait for e. key is the key of e in the library. On success it also stores the Info of the sound, and closes
// the channel that Files returned. On failure it removes e from the library. It must be called once per entry,
// without the mutex.
func (l *Library) loadEntry(ctx context.Context, key sourceKey, e *entry) {
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
	close(l.loaded)
	l.loaded = make(chan struct{})
}

// read makes a new sound of src and returns it with its Info. It does not add the sound to the library. opt are the
// options. src.Looped and src.Masking can only switch an option on; src.Leveling replaces opt.Leveling unless it is
// zero. Damaged places are reported to Options.OnDamage; with opt.Strict they are an error instead. A panic of the
// file system becomes an error that wraps ErrDecode, because other goroutines may be waiting for the sound. Errors
// name src.
func (l *Library) read(ctx context.Context, src Source, opt Options) (_ *sounds.Sound, _ Info, err error) {
	defer func() { err = withName(src.label(), err) }()
	defer recoverPanic("the source", &err)
	opt.Loop = opt.Loop || src.Looped
	opt.Masking = opt.Masking || src.Masking
	buffers := l.buffers.Get().(*workBuffers) // a decoder that failed may still write to it, so only success gives it back
	clip, err := decode(ctx, src.open, opt.Limits.withDefaults(), buffers)
	if err != nil {
		return nil, Info{}, l.withSimilarName(src, err)
	}
	if err := opt.strictError(clip.Damages); err != nil {
		return nil, Info{}, err
	}
	l.reportDamages(src, clip.Damages...)
	if err := src.overrideLoop(clip, clip.Frames()); err != nil {
		return nil, Info{}, err
	}
	opt.Leveling = cmp.Or(src.Leveling, opt.Leveling)
	info := Describe(clip, opt.Measure)
	measured := clip.measure
	if info.Measured {
		measured = func() (pcm.LUFS, pcm.Decibels) { return info.Loudness, info.TruePeak }
	}
	sound, gain, err := prepare(ctx, clip, opt, measured, src.title(), src.path(), &l.filters, buffers)
	if err != nil {
		return nil, Info{}, err
	}
	l.buffers.Put(buffers)
	info.Gain = gain
	info.Name, info.File, info.Bytes = sound.Name(), src.File, sound.Bytes()
	return sound, info, nil
}

// Files returns the cleaned paths of all files of the operating system whose sounds are in the library. They are
// sorted, without duplicates; streams are left out. The channel more is closed when another sound has been loaded,
// from any file system, but not for a stream. Control side, any goroutine.
func (l *Library) Files() (files []string, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, e := range l.entries {
		if key.fsys == nil && e.ready() {
			files = append(files, key.File)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), l.loaded
}

// Reload reads a loaded file of the operating system again and replaces its sound in the library. file is a path as
// Files returns it. Reload works in the caller's goroutine. A file that was loaded with several sets of options has
// several sounds; each is reloaded. Reload calls changed for each, unless ctx has ended or the sound has been removed
// in the meantime. An unknown file has no effect.
//
// On success changed receives the old sound, the new sound and nil, and the library returns the new sound from then on.
// The old sound stays valid: voices that play it continue with it, and its memory is freed with the last reference. If
// the file is missing, cannot be read, or is damaged or half written, the old sound stays in the library. changed then
// receives the old sound, nil and the error. Control side, any goroutine.
func (l *Library) Reload(ctx context.Context, file string, changed func(old, now *sounds.Sound, err error)) {
	l.mu.Lock()
	var loaded []*entry // once per set of options
	for key, e := range l.entries {
		if key.File == file && key.fsys == nil && e.ready() {
			loaded = append(loaded, e)
		}
	}
	l.mu.Unlock()
	for _, e := range loaded {
		if now, err := l.reloadEntry(ctx, e); ctx.Err() == nil && (now != nil || err != nil) {
			changed(e.sound, now, err)
		}
	}
}

// reloadEntry reads the sound of the entry e again and returns the new sound. A new entry with the new sound and its
// Info replaces e in the library, and the records of damage of the file are removed. If the library no longer
// contains e, it changes no entry and returns nil without an error. After an error the library also keeps e. Damage
// is an error here, because the file may be half written. Errors name the source.
func (l *Library) reloadEntry(ctx context.Context, e *entry) (*sounds.Sound, error) {
	opt := l.opt
	opt.Strict = true // damage may mean that the file is half written
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
	l.clearDamages(e.src.label())
	return sound, nil
}
