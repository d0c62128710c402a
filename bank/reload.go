package bank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/scenes"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/sounds"
)

const (
	// watchInterval is the polling interval of Watch. A file is read once two polls in a row find it
	// unchanged, because programs write files in pieces.
	watchInterval = 250 * time.Millisecond

	// busRampTime is the time in which the buses move to the values of a new file.
	busRampTime = 50 * time.Millisecond
)

// Watch reloads the bank whenever its file or sounds change, until ctx ends; run it in its own goroutine. It polls
// the sizes and times of the files four times a second, so it works with any file system that has them. An embed.FS
// never changes. After each reload, Watch calls reloaded, which may be nil, with the error or nil. It is meant for
// development.
func (b *Bank) Watch(ctx context.Context, reloaded func(err error)) {
	done, last := b.stamps(), map[string]stamp(nil)
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := b.stamps()
		changed := map[string]bool{}
		stable := last != nil
		for file, s := range now {
			changed[file] = s != done[file]
			stable = stable && s == last[file]
		}
		last = now
		delete(changed, b.name)
		if !stable || sameStamps(now, done) {
			continue
		}
		err := b.reload(changed)
		if errors.Is(err, mixer.ErrBusy) { // the next poll tries again
			if reloaded != nil {
				reloaded(err)
			}
			continue
		}
		done = b.stamps()
		for file, s := range now { // later changes are found by the next poll
			done[file] = s
		}
		if reloaded != nil {
			reloaded(err)
		}
	}
}

// stamp identifies a version of a file. It is zero if the file cannot be examined.
type stamp struct {
	size int64
	time time.Time
}

// sameStamps reports whether b has the same stamp as a for every file of a.
func sameStamps(a, b map[string]stamp) bool {
	for file, s := range a {
		if b[file] != s {
			return false
		}
	}
	return true
}

// stamps returns the sizes and times of the bank's file and its sound files, by their path in b.fsys; a missing file
// has a zero stamp. The sound files of the version last read are included, even if its sounds could not be loaded. It
// locks b.mu.
func (b *Bank) stamps() map[string]stamp {
	out := map[string]stamp{}
	add := func(name string) {
		s := stamp{}
		if info, err := fs.Stat(b.fsys, name); err == nil {
			s = stamp{info.Size(), info.ModTime()}
		}
		out[name] = s
	}
	add(b.name)
	b.mu.Lock()
	both := []*rules.Rules{b.rules, cmp.Or(b.lastRead, b.rules)}
	b.mu.Unlock()
	for _, r := range both {
		for i := range r.Sounds {
			for _, f := range r.Sounds[i].Files {
				if f.Path != "" {
					add(path.Join(path.Dir(r.File), f.Path))
				}
			}
		}
	}
	return out
}

// Reload reads the file again. Later starts follow the new rules; playing voices continue. Gains, pans, pitches, mutes,
// cutoffs and ducks of buses, effect values and send gains move to their new values within 50 ms, if the file has
// changed them. New effects replace the old effects of a bus in a crossfade of 20 ms. Sounds that are already in the
// library are not read again.
//
// The volumes of buses stay. Active scenes stay active; a scene that the file has lost has no effect until the file has
// it again.
//
// Groups stay loaded or unloaded as they are. A new group is loaded unless the file has `preload: false`. Sounds that
// the bank no longer needs are removed from the library.
//
// If the file is faulty or has lost all its sounds, or a sound cannot be loaded, the bank keeps its old
// state; the error is as in Open. Changes that require a new mixer, such as another bus or send,
// are reported in an error that wraps ErrMixer, one line each with its place in the file. All other changes
// apply. A sound on a bus that the mixer lacks plays on the nearest parent bus that it has.
//
// If the error wraps mixer.ErrBusy, the new rules apply, but some buses have not moved yet. Call Reload again; Watch
// does so by itself.
func (b *Bank) Reload() error { return b.reload(nil) }

// reload is Reload, but also reads the sounds in the files of changed again. The keys of changed are paths in the
// file system of the bank; it may be nil. reload takes b.loading, then b.mu.
func (b *Bank) reload(changed map[string]bool) error {
	b.loading <- struct{}{}
	defer func() { <-b.loading }()
	b.evictFiles(changed)
	r, root, err := b.read()
	if err != nil {
		return err
	}
	if len(r.Sounds) == 0 && len(b.Rules().Sounds) > 0 { // possibly a file that is still being written
		return fmt.Errorf("bank: %s: it had sounds, and there are no `sounds` any more", b.name)
	}
	loaded := b.build(r)
	b.mu.Lock()
	b.lastRead = r
	groups := makeGroups(r, loaded, b.groups)
	b.mu.Unlock()
	job, err := b.loadSounds(r, loaded)
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() { b.endLoad(job, b.rules == r) }()
	if err != nil {
		return err
	}
	b.waitForClaims()
	return b.applyReload(r, loaded, groups, root)
}

// evictFiles removes the sounds in the files of changed, paths in the file system of the bank, from the library, so
// that the next load reads the files again. Playing voices keep their sounds. It locks b.mu.
func (b *Bank) evictFiles(changed map[string]bool) {
	b.mu.Lock()
	var old []*sounds.Sound
	for _, s := range b.sounds {
		for i, f := range s.rules.Files {
			if f.Path != "" && changed[path.Join(path.Dir(b.rules.File), f.Path)] {
				old = append(old, s.files[i])
			}
		}
	}
	b.mu.Unlock()
	for _, s := range old {
		b.lib.Forget(s)
	}
}

// applyReload replaces the rules, sounds and groups of the bank by r, loaded, groups and root, the tree of the file. It
// moves the mixer to the new values within 50 ms. The error lists the changes that need a new mixer, at their places in
// root, or is the mixer's; only an error of new limits leaves the bank unchanged. Random choices and limits continue if
// their rules have not changed. The caller holds mu, and no play opens a stream.
func (b *Bank) applyReload(r *rules.Rules, loaded map[string]*sound, groups map[string]*loadGroup, root *yaml.Node) error {
	differences := &reloadDifferences{file: r.File, root: root}
	if b.mixer != nil {
		differences.compare(b.mixer, b.mixerRules, r)
		found, err := optionsOn(b.mixer, r)
		if err != nil {
			return err
		}
		setOptions(loaded, found)
	}
	limits := map[string]*mixer.Group{} // by group or sound: groups whose limits have not changed
	for name, old := range b.sounds {
		now := loaded[name]
		if now == nil {
			continue
		}
		now.resumeRandom(old)
		now.singles = old.singles
		for i := range now.layers {
			if i < len(old.layers) && old.layers[i].sound.rules.Name == now.layers[i].sound.rules.Name {
				now.layers[i].sound.resumeRandom(old.layers[i].sound)
			}
		}
		if limitOf(now.rules) == limitOf(old.rules) {
			limits[groupOf(now.rules)] = old.group
		}
	}
	for _, s := range loaded { // keep the old group, which counts the playing voices
		if g, ok := limits[groupOf(s.rules)]; ok {
			s.group = g
		}
	}
	for _, s := range loaded {
		for _, l := range s.layers {
			l.sound.options = loaded[l.sound.rules.Name].options
		}
	}
	before, oldGroups := slices.Collect(maps.Keys(b.loadedFiles())), b.groups
	for _, s := range b.sounds {
		clear(s.files) // ended plays keep s until their reuse
	}
	b.rules, b.sounds, b.groups, b.root = r, loaded, groups, root
	for name, g := range groups {
		if old := oldGroups[name]; old != nil && g.loaded && !old.loaded { // unloaded during the reload
			g.loaded = false
			b.release(g)
		}
	}
	b.forgetUnused(before)
	if b.mixer == nil {
		return nil
	}
	expectStems(b.mixer, loaded)
	b.file = scenes.NewFile(r)
	if err := b.moveTo(b.active, busRampTime, differences); err != nil {
		return errors.Join(err, differences.err())
	}
	return differences.err()
}

// resumeRandom makes s continue the random choices of old, the previous version of the sound. If its pick or its
// number of files has changed, the choice of files starts again.
func (s *sound) resumeRandom(old *sound) {
	s.plays = old.plays
	if s.rules.Pick == old.rules.Pick && len(s.files) == len(old.files) {
		s.picker = old.picker
	}
}

// limit holds the rules that limit the starts of a sound. It is comparable.
type limit struct {
	group    string
	voices   rules.Limit
	cooldown rules.Time
	coalesce rules.Coalesce
}

// limitOf returns the rules that limit the starts of s, for a comparison.
func limitOf(s *rules.Sound) limit { return limit{s.Group, s.Limit, s.Cooldown, s.Coalesce} }

// groupOf returns a key that is equal for all sounds of a group, and different for each sound without a group.
func groupOf(s *rules.Sound) string {
	if s.Group != "" {
		return "group " + s.Group
	}
	return "sound " + s.Name
}
