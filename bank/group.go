package bank

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/loading"
	"voicepool/internal/sheet/yaml"
	"voicepool/sounds"
)

// ErrUnloaded is wrapped by errors of Music whose segments are not loaded. See LoadGroup.
var ErrUnloaded = errors.New("bank: not loaded")

// errUnloadCalled ends a load whose group Unload has unloaded.
var errUnloadCalled = fmt.Errorf("Unload was called: %w", context.Canceled)

// MemoryError is the error of sounds that need more than the key `memory` of the file allows. They are not loaded.
type MemoryError struct {
	Group string // empty: of Open or Reload
	Needs int64  // memory in bytes that the sounds to load need at least; the load ends at the first excess
	Used  int64  // memory in bytes of the sounds of the bank before the load; 0 without a group
	Limit int64  // `memory` of the file in bytes
}

// Error returns the group and the three sizes in MB, on one line.
func (e *MemoryError) Error() string {
	what := "the sounds to load need"
	if e.Group != "" {
		what = "the group " + yaml.Quote(e.Group) + " needs"
	}
	mb := func(n int64) float64 { return float64(n) / 1e6 }
	return fmt.Sprintf("bank: %s at least %.3f MB, with %.3f MB in use; `memory` allows %.3f MB", what, mb(e.Needs), mb(e.Used), mb(e.Limit))
}

// LoadProgress is the progress of LoadGroup.
type LoadProgress struct {
	Loaded, Total int   // files of the group that were not loaded before
	Bytes         int64 // memory of the loaded ones
}

// loadGroup is a group of the file. Bank.mu guards it.
type loadGroup struct {
	sounds []*sound // everything that plays of its sounds need; never changes
	loaded bool
}

// groupLoad is a call of LoadGroup under way.
type groupLoad struct {
	group  string
	cancel context.CancelCauseFunc
}

// loadStep is the number of sounds between two calls of the progress function and two checks of the memory.
const loadStep = 16

// LoadGroup loads the sounds of the group called name in `groups` of the file, and everything that their plays need:
// layers, sounds that follow by `then`, and the segments and stingers of themes. It returns when all can be played. A
// group that is loaded stays loaded. Run LoadGroup in a goroutine of its own; plays do not wait for it. Calls of
// LoadGroup and Reload wait for each other.
//
// LoadGroup calls progress, which may be nil, in its own goroutine: at the start, and after every 16 sounds and the
// last one. The function may call Play and Unload, but neither LoadGroup nor Reload.
//
// After an error the group is not loaded, and the memory of its sounds is released, except for files that were in the
// library before. The error wraps ErrName, is a *MemoryError, or is a rules.Errors with every sound that cannot be
// loaded, as Open returns it. If ctx ends, it wraps the cause of ctx. If Unload is called during the load, it wraps
// context.Canceled. An unknown name, a loaded group and the end of ctx are found without a wait for other calls.
func (b *Bank) LoadGroup(ctx context.Context, name string, progress func(LoadProgress)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	load := &groupLoad{name, cancel}
	b.mu.Lock()
	g := b.groups[name]
	if g == nil {
		defer b.mu.Unlock()
		return unknownError("group", name, b.groups)
	}
	if g.loaded {
		b.mu.Unlock()
		return nil
	}
	b.loads = append(b.loads, load)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.loads = slices.DeleteFunc(b.loads, func(other *groupLoad) bool { return other == load })
	}()
	if ctx.Err() != nil {
		return groupError(ctx, name)
	}
	select {
	case b.loading <- struct{}{}:
	case <-ctx.Done():
		return groupError(ctx, name)
	}
	defer func() { <-b.loading }()

	b.mu.Lock()
	if g = b.groups[name]; g == nil { // a reload may have replaced the groups
		defer b.mu.Unlock()
		return unknownError("group", name, b.groups)
	}
	if g.loaded {
		b.mu.Unlock()
		return nil
	}
	job := &loadJob{rules: b.rules, group: name, used: b.loadedFiles(), progress: progress}
	for _, s := range g.sounds {
		if s.users++; !s.loaded() {
			job.sounds = append(job.sounds, s)
		}
	}
	b.beginLoad(job)
	b.mu.Unlock()
	installed := false
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.endLoad(job, installed)
		if !installed { // also after a panic of progress
			b.release(g)
		}
	}()
	files, err := b.loadFiles(ctx, job)
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil {
		return groupError(ctx, name)
	}
	if err != nil {
		return err
	}
	job.install(files)
	g.loaded, installed = true, true
	return nil
}

// groupError returns the error of LoadGroup for the group called name after the end of ctx.
func groupError(ctx context.Context, name string) error {
	return fmt.Errorf("bank: the group %s is not loaded: %w", yaml.Quote(name), context.Cause(ctx))
}

// Unload releases the sounds of the group called name in `groups` of the file, unless another loaded group or a sound
// outside all groups needs them. It never waits for a load, and ends a LoadGroup of this group. A group that is not
// loaded stays so. Voices that play continue to their end, and then their memory is freed. Later plays of the sounds
// are rejected, see mixer.ReasonUnloaded. The error wraps ErrName.
func (b *Bank) Unload(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.groups[name]
	if g == nil {
		return unknownError("group", name, b.groups)
	}
	for _, load := range b.loads {
		if load.group == name {
			load.cancel(errUnloadCalled)
		}
	}
	if g.loaded {
		g.loaded = false
		b.release(g)
	}
	return nil
}

// makeGroups returns the groups of r by name. The sounds of r are in all, by name. A group of the map old is loaded if
// it was loaded there, another one with `preload`. makeGroups sets the users of all sounds.
func makeGroups(r *rules.Rules, all map[string]*sound, old map[string]*loadGroup) map[string]*loadGroup {
	themes := map[string]*rules.Music{}
	for i := range r.Music {
		themes[r.Music[i].Name] = &r.Music[i]
	}
	listed := map[*sound]bool{}
	groups := make(map[string]*loadGroup, len(r.LoadGroups))
	for i := range r.LoadGroups {
		g, needed := &loadGroup{loaded: r.Preload}, map[*sound]bool{}
		if before := old[r.LoadGroups[i].Name]; before != nil {
			g.loaded = before.loaded
		}
		add := func(name string) *sound {
			s := all[name]
			if s == nil {
				return nil // the name of a theme, or no stinger
			}
			for _, part := range s.parts {
				if part = all[part.rules.Name]; !needed[part] {
					needed[part] = true
					g.sounds = append(g.sounds, part)
				}
			}
			return s
		}
		for _, name := range r.LoadGroups[i].Sounds {
			listed[add(name)] = true
			if m := themes[name]; m != nil {
				for _, segment := range m.Segments {
					listed[add(segment.Sound)] = true
				}
				for _, t := range m.Transitions {
					add(t.Stinger)
				}
			}
		}
		if g.loaded {
			for _, s := range g.sounds {
				s.users++
			}
		}
		groups[r.LoadGroups[i].Name] = g
	}
	for _, s := range all {
		if !listed[s] {
			for _, part := range s.parts {
				all[part.rules.Name].users++
			}
		}
	}
	return groups
}

// release takes back one use of each sound of g, and unloads the sounds without users. It removes their files from
// the library unless another sound has the same. The caller holds mu.
func (b *Bank) release(g *loadGroup) {
	var dropped []*sounds.Sound
	for _, s := range g.sounds {
		if s.users--; s.users == 0 && s.loaded() {
			dropped = append(dropped, s.files...)
			b.unload(b.rules, s)
		}
	}
	if dropped == nil {
		return
	}
	b.forgetUnused(dropped)
	for _, mu := range b.themes {
		mu.rules = nil // the segments may have another length when they are loaded again
	}
}

// forgetUnused removes each of files from the library unless a sound of the bank has it. A file that the load under way
// needs stays until the load ends. The caller holds mu.
func (b *Bank) forgetUnused(files []*sounds.Sound) {
	used, needed := b.loadedFiles(), map[[2]string]bool{}
	if b.job != nil {
		for _, s := range b.job.sounds {
			for _, f := range s.files {
				needed[[2]string{f.Name(), f.File()}] = true
			}
		}
	}
	b.lib.Forget(slices.DeleteFunc(files, func(f *sounds.Sound) bool {
		if !used[f] && needed[[2]string{f.Name(), f.File()}] {
			b.job.dropped = append(b.job.dropped, f)
			return true
		}
		return used[f]
	})...)
}

// beginLoad makes job, which has all its sounds, the load under way. The caller holds mu and has an element in loading.
func (b *Bank) beginLoad(job *loadJob) {
	b.job, job.kept = job, map[*sounds.Sound]bool{}
	for _, f := range b.lib.Sounds() {
		job.kept[f] = true
	}
}

// endLoad ends job, the load under way. Unless installed, its new files leave the library. The caller holds mu.
func (b *Bank) endLoad(job *loadJob, installed bool) {
	b.job = nil
	if !installed {
		b.lib.Forget(job.loaded...)
	}
	b.forgetUnused(job.dropped)
}

// loadedFiles returns the set of the loaded files of the bank. The caller holds mu.
func (b *Bank) loadedFiles() map[*sounds.Sound]bool {
	all := map[*sounds.Sound]bool{}
	for _, s := range b.sounds {
		if s.loaded() {
			for _, f := range s.files {
				all[f] = true
			}
		}
	}
	return all
}

// loaded reports whether the files of s are loaded. It is false for a sound with layers, which has no files.
func (s *sound) loaded() bool { return len(s.files) > 0 && !s.files[0].Unloaded() }

// unload replaces the files of s, a sound of r, by placeholders. The caller holds mu, unless s is new.
func (b *Bank) unload(r *rules.Rules, s *sound) {
	for i, f := range s.rules.Files {
		s.files[i] = b.lib.Unloaded(r.Source(s.rules, f, s.rules.Loop))
	}
}

// loadSounds loads the sounds of r that have users, in the job that it returns. The map all has the sounds of r, which
// are not in the bank yet. The caller calls endLoad, also after an error. loadSounds locks b.mu.
func (b *Bank) loadSounds(r *rules.Rules, all map[string]*sound) (*loadJob, error) {
	job := &loadJob{rules: r}
	for i := range r.Sounds {
		if s := all[r.Sounds[i].Name]; s.users > 0 {
			job.sounds = append(job.sounds, s)
		}
	}
	b.mu.Lock()
	b.beginLoad(job)
	b.mu.Unlock()
	files, err := b.loadFiles(context.Background(), job)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		job.install(files)
	}
	return job, err
}

// loadJob is a list of sounds to load. Bank.mu guards the files of the sounds and dropped.
type loadJob struct {
	rules    *rules.Rules
	sounds   []*sound               // of rules
	group    string                 // empty for Open and Reload
	used     map[*sounds.Sound]bool // files of the bank before the load of a group
	kept     map[*sounds.Sound]bool // files that were in the library before the load and stay in it after an error
	progress func(LoadProgress)     // may be nil

	loaded  []*sounds.Sound // files that were loaded and are not in kept
	dropped []*sounds.Sound // files that Unload has left in the library because the job needs them
}

// install replaces the files of the sounds by files, the result of loadFiles. The caller holds Bank.mu.
func (j *loadJob) install(files [][]*sounds.Sound) {
	for i, s := range j.sounds {
		copy(s.files, files[i])
	}
}

// loadFiles loads the files of the sounds of the job and prepares them for the pitches that they can reach. It returns
// them by sound, stores the new ones in j.loaded, and reports the progress. The error is a *MemoryError, a rules.Errors
// with all files that cannot be loaded, or the error of ctx. It ends at the first excess of the memory, and then the
// rules.Errors has the files before it. It does not change the bank, and needs no mutex.
func (b *Bank) loadFiles(ctx context.Context, j *loadJob) ([][]*sounds.Sound, error) {
	var (
		files   [][]*sounds.Sound
		missing rules.Errors
		size    = &MemoryError{Group: j.group, Limit: j.rules.Memory}
		seen    = map[*sounds.Sound]bool{}
		step    = len(j.sounds)
		state   LoadProgress
	)
	report := func() {
		if j.progress != nil {
			j.progress(state)
		}
	}
	for _, s := range j.sounds {
		state.Total += len(s.files)
	}
	for f := range j.used {
		seen[f] = true
		size.Used += f.Bytes()
	}
	if size.Limit > 0 || j.progress != nil {
		step = loadStep
	}
	report()
	filters := j.rules.Filters()
	for part := range slices.Chunk(j.sounds, max(step, 1)) {
		some, err := b.loadPart(ctx, j.rules, part, filters)
		for _, all := range some {
			state.Loaded += len(all)
			for _, f := range all {
				if f == nil || seen[f] {
					continue
				}
				seen[f] = true
				state.Bytes += f.Bytes()
				if !j.kept[f] {
					j.loaded = append(j.loaded, f)
				}
			}
		}
		files = append(files, some...)
		if all, ok := errors.AsType[rules.Errors](err); ok {
			missing = append(missing, all...)
		} else if err != nil {
			return nil, err
		}
		report()
		if size.Limit > 0 && size.Used+state.Bytes > size.Limit {
			if size.Needs = state.Bytes; missing == nil {
				return nil, size
			}
			break
		}
	}
	if missing != nil {
		missing.Sort()
		return nil, missing
	}
	return files, nil
}

// loadPart loads the files of part, some sounds of r, and returns them by sound. With filters it also measures their
// spectra. After an error, which is a rules.Errors or the error of ctx, a file that was not loaded is nil.
func (b *Bank) loadPart(ctx context.Context, r *rules.Rules, part []*sound, filters bool) ([][]*sounds.Sound, error) {
	some := *r
	some.Sounds = make([]rules.Sound, len(part))
	modes := make([]loading.Modes, len(part))
	for i, s := range part {
		some.Sounds[i] = *s.rules
		if modes[i] = loading.Once; s.rules.Loop {
			modes[i] = loading.Looped
		}
	}
	all, missing, err := loading.Sounds(ctx, &some, b.lib, modes, loading.Options{OnError: b.noteStreamError})
	files := make([][]*sounds.Sound, len(part))
	for i, s := range part {
		files[i] = all[i].Files(s.rules.Loop)
		for j, f := range files[i] {
			if f != nil && s.rules.Loop && s.rules.Stream && f.Loop().Frames() <= 0 {
				missing.Add(s.rules.Files[j], errors.New("this stream does not declare its length, so it cannot loop"))
			}
		}
	}
	if err != nil {
		return files, err
	}
	if err := missing.Err(); err != nil {
		return files, err
	}
	versions := &loading.Variants{}
	for i, s := range part {
		if filters {
			versions.AddSpectra(files[i], s.rules.Loop)
		}
		if r.QualityOf(s.rules) == sounds.Best {
			low, high := s.pitches()
			versions.AddPitches(files[i], s.rules.Loop, low, high)
		}
	}
	return files, versions.Compute(ctx)
}
